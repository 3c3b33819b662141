"""The schema of the catalogue file. Entries are identified by keys; the database assigns their refs."""

from typing import Annotated, Any, Literal

import msgspec

from sitewright.kit.validation import MAX_INT4, Ref, Text

Name = Annotated[str, Text(1, 255)]
Key = Annotated[str, Text(1, 100)]
"""Lower-case letters, digits and hyphens, verified by `values`."""
Picture = Annotated[str, Text(1, 100_000)]
"""A data URL, verified by `values`."""
Flag = Annotated[int, msgspec.Meta(ge=0, le=1)]
NonNegative = Annotated[int, msgspec.Meta(ge=0, le=MAX_INT4)]
DelayDays = Annotated[int, msgspec.Meta(ge=0, le=365)]
YesNo = Literal["N", "Y"]
Money = Any
"""10, 9.99 or "9.99": verified by `values`, stored as text with two decimals."""


def doc(text: str) -> msgspec.Meta:
    """A short description of an optional setting, which `catalogue export` writes as a comment."""
    return msgspec.Meta(description=text)


class Schema(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    pass


class Language(Schema):
    code: Annotated[str, Text(2, 20)]
    name: Name


class Currency(Schema):
    alpha_code: Annotated[str, Text(3, 3)]
    name: Name
    num_code: Annotated[str, Text(3, 3)]
    html_code: Name
    currency_rate: Money
    payment_provider: Annotated[NonNegative, doc("the payment provider's number for it")] = 0
    locale: Annotated[str, doc("the locale that amounts are formatted in")] = "en_US"


class TemplateGroup(Schema):
    name: Name


class TemplateCategory(Schema):
    key: Key
    category: Name


class Tag(Schema):
    name: Name


class ProductSupplier(Schema):
    name: Name
    description: Annotated[str, doc("what it supplies")] = ""
    class_name: Annotated[str, doc("the registrar connector; the built-in one accepts any name")] = ""


class Template(Schema):
    directory: Key
    name: Name
    thumbnail: Name
    brand: Annotated[Name | None, doc("private to the brand of this name; null: for every brand")] = None
    font_swatch_ref: Annotated[Ref, doc("the set of fonts of new sites")] = 1
    color_swatch_ref: Annotated[Ref, doc("the set of colors of new sites")] = 1
    code_host_repository: Annotated[str | None, doc("the repository of its source; informational")] = None
    git_ref: Annotated[str | None, doc("the revision of that source; informational")] = None
    groups: Annotated[list[Name], doc("template groups; callers can filter by them")] = []
    categories: Annotated[list[Key], doc("keys of template categories")] = []
    tags: Annotated[list[Name], doc("tags that callers can filter by")] = []


class Price(Schema):
    currency: Name
    billing_period_months: Annotated[int, msgspec.Meta(ge=0, le=1200)]
    price: Money
    offer_price: Annotated[Money, doc("charged instead of the price while set")] = None


class DomainProduct(Schema):
    domain_suffix: Name
    name: Name
    supplier: Name
    description: Annotated[str, doc("what is sold")] = ""
    frequency_months: Annotated[int, msgspec.Meta(ge=1, le=120), doc("months that one registration lasts")] = 12
    active: Annotated[Flag, doc("0: no longer sold")] = 1
    available_as_free_domain: Annotated[Flag, doc("1: may be one of a package's free domains")] = 0
    require_custom_contact_details: Annotated[bool, doc("whether the registrant's own details are needed")] = False
    renewal_active: Annotated[Flag, doc("0: cannot be renewed")] = 1


class Package(Schema):
    key: Key
    name: Name
    default_currency: Name
    active: Annotated[Flag, doc("0: no longer sold; those who have it keep it")] = 1
    is_global: Annotated[Flag, doc("1: every brand offers it as its own")] = msgspec.field(name="global", default=0)
    url_id: Annotated[str | None, doc("its name in URLs of a shop")] = msgspec.field(name="urlID", default=None)
    notify_marketing: Annotated[YesNo, doc("Y: marketing is notified of purchases; informational")] = "N"
    product_type: Annotated[
        Name,
        doc("subscription replaces a user's package, others are add-ons; domain needs a domainProduct"),
    ] = "subscription"
    type: Annotated[Name, doc("a free-form label that callers can filter by")] = "standard"
    content_type: Annotated[Name, doc("bundle or domain; callers can filter by it")] = "bundle"
    offer_rebill_months: Annotated[
        NonNegative,
        doc("months that an offer's price holds on renewal; informational"),
    ] = 0
    offer_rebill_active: Annotated[YesNo, doc("Y: offers hold on renewal; informational")] = "N"
    trial_days: Annotated[int, msgspec.Meta(ge=0, le=3650), doc("above 0: a trial of this many days")] = 0
    image_url: Annotated[str, doc("URL of a picture for shops")] = msgspec.field(name="imageURL", default="")
    require_purchased_domain: Annotated[
        bool,
        doc("whether a domain must be bought with it; informational"),
    ] = False
    allow_multiple_purchase: Annotated[bool, doc("whether a user may have it more than once")] = False
    show_in_store: Annotated[bool, doc("whether shops list it; informational")] = True
    show_in_template_picker: Annotated[
        bool,
        doc("whether the template picker offers it; informational"),
    ] = True
    banner_html: Annotated[
        str | None,
        doc("HTML that shops show next to it"),
    ] = msgspec.field(name="bannerHTML", default=None)
    affiliate_link: Annotated[str | None, doc("where affiliates send buyers")] = None
    flow_name: Annotated[str | None, doc("the purchase flow it is sold through")] = None
    default_campaign_ref: Annotated[Ref | None, doc("the campaign that sales count for")] = None
    template_group: Annotated[Name | None, doc("the template group that shops show with it")] = None
    display_order: Annotated[NonNegative, doc("its place in lists, smallest first")] = 0
    plugins: Annotated[list[Ref], doc("numbers of plugins")] = []
    categories: Annotated[list[Name], doc("free-form labels")] = []
    package_collections: Annotated[list[Name], doc("free-form labels")] = []
    domain_product: Annotated[DomainProduct | None, doc("what a package of productType domain sells")] = None
    capabilities: Annotated[Any, doc("numbers by name; a name left out is 0")] = msgspec.field(default_factory=dict)
    prices: Annotated[list[Price], doc("none: the package is free")] = []


class MailTemplate(Schema):
    """A brand's own template for a kind of mail, replacing the built-in one. Texts are Jinja templates."""

    kind: Name
    """A kind that a feature declares: see `checks`."""
    language: Name
    subject: Name
    text: Annotated[str, Text(1, 100_000)]
    html: Annotated[
        Annotated[str, Text(1, 100_000)] | None,
        doc("the HTML part; null: the service's layout around the text"),
    ] = None


class Brand(Schema):
    name: Name
    ref: Annotated[
        Ref | None, doc("the number of an existing brand; null: the brand of this name, created if there is none")
    ] = None
    domain: Annotated[Name | None, doc("the parent domain of subdomains and demo domains")] = None
    time_zone: Annotated[Name, doc("the zone of dates, renewals and reports")] = "UTC"
    activation_url: Annotated[
        str | None,
        doc("where account holders activate a site; {siteRef} is filled in"),
    ] = msgspec.field(name="activationURL", default=None)
    help_url: Annotated[
        str | None,
        doc("the help link on pages and in mails"),
    ] = msgspec.field(name="helpURL", default=None)
    editor_url: Annotated[
        str | None,
        doc("where account holders edit a site; {siteRef} is filled in"),
    ] = msgspec.field(name="editorUrl", default=None)
    redirect_url: Annotated[
        str | None,
        doc("where links in password and verification mails lead; null: the service's own pages"),
    ] = msgspec.field(name="redirectURL", default=None)
    self_service_deletion: Annotated[
        Literal["off", "request"],
        doc("request: account holders can ask for the deletion of their account; supportEmail is mailed"),
    ] = "off"
    dns_provider: Annotated[
        Literal["none", "powerdns", "rfc2136"] | None,
        doc("who serves the zones of account domains; null: dns_provider of the service's settings"),
    ] = None
    logo: Annotated[Picture | None, doc("the logo on pages and in mails: the path of a file, or a data: URL")] = None
    favicon: Annotated[Picture | None, doc("the icon of pages in browsers, like logo")] = None
    accent_colour: Annotated[
        Name | None, doc("the color of buttons and links, like #0b5cad; corrected where it would be hard to read")
    ] = None
    support_email: Annotated[Name | None, doc("where account holders write to; null: contact")] = None
    support_url: Annotated[str | None, doc("the help link on pages; null: helpURL")] = None
    privacy_url: Annotated[str | None, doc("the privacy policy, linked on pages and in mails")] = None
    terms_url: Annotated[str | None, doc("the terms of service, linked on pages and in mails")] = None
    external_payment_url: Annotated[str | None, doc("where account holders buy another package")] = msgspec.field(
        name="externalPaymentURL", default=None
    )
    external_subscription_url: Annotated[str | None, doc("where account holders manage their subscription")] = (
        msgspec.field(name="externalSubscriptionURL", default=None)
    )
    external_payment_cancellation_url: Annotated[str | None, doc("where account holders cancel their subscription")] = (
        msgspec.field(name="externalPaymentCancellationURL", default=None)
    )
    contact: Annotated[Name | None, doc("the mail address that is warned of expiring certificates")] = None
    mail_sender: Annotated[Name | None, doc("the sender of the brand's mails: Name <address>, or an address")] = None
    allowed_link_hosts: Annotated[
        list[Name],
        doc("hosts allowed in mailed links ([]: any) and in redirects after a log-in"),
    ] = []
    reserved_names: Annotated[list[Name], doc("additional subdomain names that customers' sites cannot use")] = []
    allowed_reserved_names: Annotated[list[Name], doc("reserved names that the brand's own callers may map")] = []
    consistent_types: Annotated[
        bool,
        doc("true: count, pages and version are numbers and beta is a boolean, not text"),
    ] = False
    upsert_global_values: Annotated[
        bool,
        doc("true: PUT creates a global value that does not exist; false: the response is 404"),
    ] = False
    test_mode: Annotated[
        bool,
        doc("true: a test brand, which never charges, mails or registers for real; fixed at its creation"),
    ] = False
    hard_delete_delay_days: Annotated[
        DelayDays, doc("days that hard-delete waits before it erases a site, which is offline at once; 0: at once")
    ] = 0
    languages: Annotated[list[Name], doc("codes of the account holders' languages, in the brand's order")] = []
    default_currency: Annotated[Name | None, doc("the currency that account holders pay in")] = None
    default_template: Annotated[Key | None, doc("the directory of the template that new sites get")] = None
    default_package: Annotated[Key | None, doc("the key of the package that new account holders get")] = None
    mail_templates: Annotated[list[MailTemplate], doc("the brand's own mail templates")] = []
    packages: Annotated[list[Package], doc("what the brand sells")] = []


class Catalogue(Schema):
    languages: Annotated[list[Language], doc("languages that brands may offer")] = []
    currencies: Annotated[list[Currency], doc("currencies of prices")] = []
    template_groups: Annotated[list[TemplateGroup], doc("groups of templates; a package names one")] = []
    template_categories: Annotated[
        list[TemplateCategory],
        doc("categories that callers and the template picker filter by"),
    ] = []
    tags: Annotated[list[Tag], doc("tags of templates")] = []
    product_suppliers: Annotated[list[ProductSupplier], doc("suppliers that domains are registered with")] = []
    templates: Annotated[list[Template], doc("designs of sites")] = []
    brands: Annotated[list[Brand], doc("brands, their settings and their packages")] = []
