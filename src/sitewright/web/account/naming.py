"""Sites as people call them, and where their pages are."""

from contextlib import suppress

import idna
import msgspec

from sitewright.kit.http.words import Words
from sitewright.sites.sites.service import OfflineReason, Site, offline_reason
from sitewright.web.login.service import ACCOUNT


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """What every page tells of a site."""

    ref: int
    name: str
    state: str
    live: bool

    @property
    def page(self) -> str:
        return site_address(self.ref)

    @classmethod
    def of(cls, site: Site, words: Words) -> "Named":
        name = words("nameless", ref=site.ref) if site.primary_domain is None else readable(site.primary_domain)
        return cls(ref=site.ref, name=name, state=_state(site), live=site.live)


def site_address(site_ref: int) -> str:
    return f"{ACCOUNT}/sites/{site_ref}"


def readable(domain: str) -> str:
    """In the letters its people write it in."""
    with suppress(idna.IDNAError):
        return idna.decode(domain)
    return domain


def _state(site: Site) -> str:
    reason = offline_reason(site.state)
    if reason is None:
        return "live"
    return "never_published" if reason is OfflineReason.NEVER_PUBLISHED else "offline"
