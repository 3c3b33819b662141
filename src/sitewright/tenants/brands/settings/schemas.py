"""Wire schemas of the settings of a brand, named as in the catalogue file."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from sitewright.kit.http.about import about
from sitewright.kit.validation import MAX_TEXT, Text

MAX_URL = 2000
MAX_PICTURE = 100_000
MAX_HOSTS = 1000
URL = "https://www.brand.example/help"
PICTURE = "a data: URL of an SVG, PNG, WebP, JPEG or ICO file of at most 64 KiB; null: none"
SVG = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="
Deletion = Literal["off", "request"]
DnsProvider = Literal["none", "powerdns", "rfc2136"]


def _doc(text: str, example: Any = URL, longest: int = MAX_URL) -> msgspec.Meta:
    return about(text, example, min_length=1, max_length=longest)


NAME = _doc("The name of the brand, on pages and in mails. Unique among all brands.", "Brand", MAX_TEXT)
TIME_ZONE = _doc("The zone of dates, renewals and reports.", "Europe/Berlin", MAX_TEXT)
ACTIVATION = _doc("Where account holders activate a site; `{siteRef}` is filled in.")
HELP = _doc("The help link on pages and in mails.")
EDITOR = _doc("Where account holders edit a site; `{siteRef}` is filled in. null: the editor of the service.")
REDIRECT = _doc("Where links in password and verification mails lead. null: the service's own pages.")
DELETION = about(
    "`request`: account holders can ask for the deletion of their account; `supportEmail` is mailed.", "off"
)
DNS_PROVIDER = about(
    "Who serves the zones of account domains: `none`, `powerdns` or `rfc2136`. null: as the service is set.", "powerdns"
)
ACCENT = _doc("The color of buttons and links; corrected where it would be hard to read.", "#0b5cad", 7)
SUPPORT_EMAIL = _doc("Where account holders write to. null: `contact`.", "help@brand.example", MAX_TEXT)
SUPPORT_URL = _doc("The help link on pages. null: `helpURL`.")
PRIVACY = _doc("The privacy policy, linked on pages and in mails.")
TERMS = _doc("The terms of service, linked on pages and in mails.")
PAYMENT = _doc("Where account holders buy another package.")
SUBSCRIPTION = _doc("Where account holders manage their subscription.")
CANCELLATION = _doc("Where account holders cancel their subscription.")
CONTACT = _doc("The mail address that is warned of expiring certificates.", "ops@brand.example", MAX_TEXT)
SENDER = _doc("The sender of the brand's mails: Name <address>, or an address.", "Brand <hi@brand.example>", MAX_TEXT)
LOGO = _doc(f"The logo on pages and in mails: {PICTURE}.", SVG, MAX_PICTURE)
FAVICON = _doc(f"The icon of pages in browsers: {PICTURE}.", SVG, MAX_PICTURE)
LOGO_URL = about("The path of the logo on this host; null: none.", "/resources/brands/1/logo-0a")
FAVICON_URL = about("The path of the icon on this host; null: none.", "/resources/brands/1/favicon-0a")
Host = Annotated[str, Text(1, 253)]
Label = Annotated[str, Text(1, 63)]
Code = Annotated[str, Text(1, 20)]
LINK_HOSTS = about(
    "Hosts allowed in mailed links (none: any) and in redirects after a log-in.",
    ["www.brand.example"],
    max_length=MAX_HOSTS,
)
RESERVED = about("Additional subdomain names that customers' sites cannot use.", ["shop"], max_length=MAX_HOSTS)
ALLOWED = about("Reserved names that the brand's own callers may map.", ["www"], max_length=MAX_HOSTS)
TYPES = about("true: count, pages and version are numbers and beta is a boolean, not text.", False)
UPSERT = about("true: PUT creates a global value that does not exist; false: the response is 404.", False)
TEST_MODE = about(
    "true: nothing is charged, mailed or registered for real. Fixed when the brand is created: it cannot be changed.",
    False,
)
DELETE_DELAY = about(
    "Days that `hard-delete` waits before it erases a site, which is offline at once; 0: it erases at once.",
    0,
    ge=0,
    le=365,
)
LANGUAGES = about("Codes of the account holders' languages; the first is the default.", ["en", "de"], max_length=200)


class BrandSettingsChanges(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What to change; settings that are left out stay as they are, and null resets one to its default."""

    name: Annotated[str, NAME] | UnsetType = UNSET
    time_zone: Annotated[str, TIME_ZONE] | UnsetType = UNSET
    languages: Annotated[list[Code], LANGUAGES] | UnsetType = UNSET
    logo: Annotated[str, LOGO] | UnsetType | None = UNSET
    favicon: Annotated[str, FAVICON] | UnsetType | None = UNSET
    accent_colour: Annotated[str, ACCENT] | UnsetType | None = UNSET
    support_email: Annotated[str, SUPPORT_EMAIL] | UnsetType | None = UNSET
    support_url: Annotated[str, SUPPORT_URL] | UnsetType | None = UNSET
    help_url: Annotated[str, HELP] | UnsetType | None = field(name="helpURL", default=UNSET)
    privacy_url: Annotated[str, PRIVACY] | UnsetType | None = UNSET
    terms_url: Annotated[str, TERMS] | UnsetType | None = UNSET
    contact: Annotated[str, CONTACT] | UnsetType | None = UNSET
    mail_sender: Annotated[str, SENDER] | UnsetType | None = UNSET
    activation_url: Annotated[str, ACTIVATION] | UnsetType | None = field(name="activationURL", default=UNSET)
    editor_url: Annotated[str, EDITOR] | UnsetType | None = field(name="editorUrl", default=UNSET)
    redirect_url: Annotated[str, REDIRECT] | UnsetType | None = field(name="redirectURL", default=UNSET)
    external_payment_url: Annotated[str, PAYMENT] | UnsetType | None = field(name="externalPaymentURL", default=UNSET)
    external_subscription_url: Annotated[str, SUBSCRIPTION] | UnsetType | None = field(
        name="externalSubscriptionURL", default=UNSET
    )
    external_payment_cancellation_url: Annotated[str, CANCELLATION] | UnsetType | None = field(
        name="externalPaymentCancellationURL", default=UNSET
    )
    self_service_deletion: Annotated[Deletion, DELETION] | UnsetType = UNSET
    dns_provider: Annotated[DnsProvider, DNS_PROVIDER] | UnsetType | None = UNSET
    allowed_link_hosts: Annotated[list[Host], LINK_HOSTS] | UnsetType = UNSET
    reserved_names: Annotated[list[Label], RESERVED] | UnsetType = UNSET
    allowed_reserved_names: Annotated[list[Label], ALLOWED] | UnsetType = UNSET
    consistent_types: Annotated[bool, TYPES] | UnsetType = UNSET
    upsert_global_values: Annotated[bool, UPSERT] | UnsetType = UNSET
    test_mode: Annotated[bool, TEST_MODE] | UnsetType = UNSET
    hard_delete_delay_days: Annotated[int, DELETE_DELAY] | UnsetType = UNSET


class BrandSettingsDetails(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The settings of a brand."""

    brand_ref: Annotated[int, about("The brand's number.", 1)]
    name: Annotated[str, NAME]
    domain: Annotated[
        str | None, about("The parent domain of subdomains; only the catalogue file changes it.", "brand.example")
    ]
    time_zone: Annotated[str, TIME_ZONE]
    languages: Annotated[list[str], LANGUAGES]
    logo_url: Annotated[str, LOGO_URL] | None = field(name="logoURL")
    favicon_url: Annotated[str, FAVICON_URL] | None = field(name="faviconURL")
    accent_colour: Annotated[str, ACCENT] | None
    support_email: Annotated[str, SUPPORT_EMAIL] | None
    support_url: Annotated[str, SUPPORT_URL] | None
    help_url: Annotated[str, HELP] | None = field(name="helpURL")
    privacy_url: Annotated[str, PRIVACY] | None
    terms_url: Annotated[str, TERMS] | None
    contact: Annotated[str, CONTACT] | None
    mail_sender: Annotated[str, SENDER] | None
    activation_url: Annotated[str, ACTIVATION] | None = field(name="activationURL")
    editor_url: Annotated[str, EDITOR] | None = field(name="editorUrl")
    redirect_url: Annotated[str, REDIRECT] | None = field(name="redirectURL")
    external_payment_url: Annotated[str, PAYMENT] | None = field(name="externalPaymentURL")
    external_subscription_url: Annotated[str, SUBSCRIPTION] | None = field(name="externalSubscriptionURL")
    external_payment_cancellation_url: Annotated[str, CANCELLATION] | None = field(
        name="externalPaymentCancellationURL"
    )
    self_service_deletion: Annotated[str, DELETION]
    dns_provider: Annotated[str, DNS_PROVIDER] | None
    allowed_link_hosts: Annotated[list[str], LINK_HOSTS]
    reserved_names: Annotated[list[str], RESERVED]
    allowed_reserved_names: Annotated[list[str], ALLOWED]
    consistent_types: Annotated[bool, TYPES]
    upsert_global_values: Annotated[bool, UPSERT]
    test_mode: Annotated[bool, TEST_MODE]
    hard_delete_delay_days: Annotated[int, DELETE_DELAY]


EXAMPLE = {
    "brandRef": 1, "name": "Brand", "domain": "brand.example", "timeZone": "Europe/Berlin", "languages": ["en", "de"],
    "logoURL": None, "faviconURL": None, "accentColour": "#0b5cad", "supportEmail": "help@brand.example",
    "supportUrl": None, "helpURL": URL, "privacyUrl": None, "termsUrl": None, "contact": "ops@brand.example",
    "mailSender": None, "activationURL": None, "editorUrl": None, "redirectURL": None, "externalPaymentURL": None,
    "externalSubscriptionURL": None, "externalPaymentCancellationURL": None, "selfServiceDeletion": "off",
    "dnsProvider": None,
    "allowedLinkHosts": [], "reservedNames": [], "allowedReservedNames": [], "consistentTypes": False,
    "upsertGlobalValues": False, "testMode": False, "hardDeleteDelayDays": 0,
}  # fmt: skip


class BrandSettingsResponse(msgspec.Struct, frozen=True):
    """The settings of one brand."""

    settings: Annotated[BrandSettingsDetails, about("The settings.", EXAMPLE)]
