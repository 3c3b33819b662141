"""Display names, states and page URLs of sites."""

import msgspec

from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.messages import Messages
from sitewright.sites.sites.service import OfflineReason, Site, offline_reason
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login import service as login
from sitewright.web.login.service import ACCOUNT

DELETED = "deleted"
STATES = {
    None: "live",
    OfflineReason.NEVER_PUBLISHED: "never_published",
    OfflineReason.NOT_LIVE: "offline",
    OfflineReason.SITE_DISABLED: "disabled",
    OfflineReason.OWNER_SUSPENDED: "suspended",
    OfflineReason.OWNER_DELETED: DELETED,
}
"""The text key of each state."""


class SiteLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A site's name, address and state, as shown on all account pages."""

    ref: int
    name: str
    """The name of the business; without one the main address."""
    address: str | None
    url: str | None
    state: str
    live: bool

    @property
    def page(self) -> str:
        return site_address(self.ref)

    @classmethod
    def of(cls, site: Site, messages: Messages, business: str | None = None) -> "SiteLabel":
        address = None if site.primary_domain is None else decode_domain(site.primary_domain)
        return cls(
            ref=site.ref,
            name=business or address or messages("nameless", ref=site.ref),
            address=address,
            url=site.primary_domain and f"{site.protocol}://{site.primary_domain}/",
            state=state_of(site),
            live=site.live,
        )


def state_of(site: Site) -> str:
    """What the account holder cannot change comes first: bringing a disabled site online would not help."""
    if site.deleted:
        return DELETED
    return STATES[OfflineReason.SITE_DISABLED if not site.enabled else offline_reason(site.state)]


def site_address(site_ref: int) -> str:
    return f"{ACCOUNT}/sites/{site_ref}"


def editor_address(brand: BrandSettings, site_ref: int) -> str:
    """The brand's own editor, else the visual editor of the service."""
    return login.editor_of(brand, site_ref) or f"{site_address(site_ref)}/edit"
