"""Display names, states and page URLs of sites."""

from contextlib import suppress

import idna
import msgspec

from sitewright.kit.http.messages import Messages
from sitewright.sites.sites.service import OfflineReason, Site, offline_reason
from sitewright.web.login.service import ACCOUNT


class SiteLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A site's name and state, as shown on all account pages."""

    ref: int
    name: str
    state: str
    live: bool

    @property
    def page(self) -> str:
        return site_address(self.ref)

    @classmethod
    def of(cls, site: Site, messages: Messages) -> "SiteLabel":
        name = messages("nameless", ref=site.ref) if site.primary_domain is None else decode_domain(site.primary_domain)
        return cls(ref=site.ref, name=name, state=_state(site), live=site.live)


def site_address(site_ref: int) -> str:
    return f"{ACCOUNT}/sites/{site_ref}"


def decode_domain(domain: str) -> str:
    """Decode an internationalized domain name for display; one that cannot be decoded is returned unchanged."""
    with suppress(idna.IDNAError):
        return idna.decode(domain)
    return domain


def _state(site: Site) -> str:
    reason = offline_reason(site.state)
    if reason is None:
        return "live"
    return "never_published" if reason is OfflineReason.NEVER_PUBLISHED else "offline"
