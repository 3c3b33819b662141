"""Lifecycle hooks of sites, observed by features above."""

from collections.abc import Sequence
from typing import NamedTuple

from sitewright.kit.lifecycle import Hook
from sitewright.settings import Settings
from sitewright.sites.sites.schemas import DomainCertificate


class MappedDomain(NamedTuple):
    ref: int
    site_ref: int
    domain: str


class CollectedCertificates:
    """The certificates of mapped host names; an observer adds them to `found`, by the domain's ref."""

    def __init__(self, settings: Settings, domain_refs: Sequence[int]) -> None:
        self.settings = settings
        self.domain_refs = domain_refs
        self.found: dict[int, DomainCertificate] = {}


class SiteCounts:
    """How much there is of a site; an observer adds numbers to `found`, named as in the receipt of an erasure."""

    def __init__(self, site_ref: int) -> None:
        self.site_ref = site_ref
        self.found: dict[str, int] = {}


domains_mapped: Hook[Sequence[MappedDomain]] = Hook("domains_mapped")
"""These host names were mapped to sites of the transaction's brand."""
domains_unmapped: Hook[Sequence[str]] = Hook("domains_unmapped")
"""These host names of the transaction's brand were unmapped."""
certificates_collected: Hook[CollectedCertificates] = Hook("certificates_collected")
"""The certificates of these host names of the transaction's brand are to be shown."""
site_counted: Hook[SiteCounts] = Hook("site_counted")
"""What belongs to this site is to be counted, for the receipt of its erasure."""
site_erased: Hook[int] = Hook("site_erased")
"""The site with this ref was erased: observers delete all data that names it."""
