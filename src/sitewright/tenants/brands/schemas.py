from datetime import datetime, timedelta
from typing import Annotated

import msgspec

from sitewright.kit import clock
from sitewright.kit.http.about import about


class Language(msgspec.Struct, frozen=True):
    """A language that account holders of a brand can have."""

    ref: Annotated[int, about("The language's number.", 1)]
    code: Annotated[str, about("The code that `languageCode` takes.", "en")]
    name: Annotated[str, about("The language's name in itself.", "English")]


class ListedBrand(msgspec.Struct, frozen=True):
    """A brand that a system-owner can choose. Internal, not part of the API."""

    brand_ref: int
    name: str
    test_mode: bool


class BrandSettings(msgspec.Struct, frozen=True):
    """A brand's settings from the catalogue. Internal, not part of the API."""

    brand_ref: int
    name: str
    domain: str | None
    time_zone: str
    activation_url: str | None
    help_url: str | None
    editor_url: str | None
    contact: str | None
    allowed_link_hosts: list[str]
    consistent_types: bool
    upsert_global_values: bool
    default_currency_ref: int | None
    default_package_ref: int | None
    mail_sender: str | None
    reserved_names: list[str]
    allowed_reserved_names: list[str]
    language_codes: list[str]
    accent_colour: str | None = None
    own_support_email: str | None = None
    support_url: str | None = None
    privacy_url: str | None = None
    terms_url: str | None = None
    logo_hash: str | None = None
    favicon_hash: str | None = None
    logo_type: str | None = None
    external_payment_url: str | None = None
    external_subscription_url: str | None = None
    external_payment_cancellation_url: str | None = None
    redirect_url: str | None = None
    self_service_deletion: str = "off"
    dns_provider: str | None = None
    """None: that of the service's settings."""
    test_mode: bool = False
    clock_offset: timedelta = timedelta()
    """How far the clock of a test brand is ahead."""
    hard_delete_delay_days: int = 0

    @property
    def now(self) -> datetime:
        """The brand's time, used by trials, periods and reports."""
        return clock.now() + self.clock_offset

    @property
    def support_email(self) -> str | None:
        """Where account holders write to; by default the brand's contact, if that is a mail address."""
        return self.own_support_email or (self.contact if self.contact and "@" in self.contact else None)

    @property
    def logo_url(self) -> str | None:
        return self.picture_url("logo", self.logo_hash)

    @property
    def favicon_url(self) -> str | None:
        return self.picture_url("favicon", self.favicon_hash)

    @property
    def mail_logo(self) -> str | None:
        """The logo for mails, whose readers show no SVG."""
        return None if self.logo_type == "image/svg+xml" else self.logo_url

    def picture_url(self, name: str, digest: str | None) -> str | None:
        """On the service's own host. The digest changes with the picture, so that it can be cached forever."""
        return digest and f"/resources/brands/{self.brand_ref}/{name}-{digest}"


class Languages(msgspec.Struct, frozen=True):
    """The languages of a brand."""

    languages: Annotated[
        list[Language], about("In the brand's own order.", [{"ref": 1, "code": "en", "name": "English"}])
    ]
