"""View model of the domains page: the addresses of each site, whether they work, and the DNS records that they need."""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, ip_address

import msgspec

from sitewright.domains.certificates.acme.service import CertificateState
from sitewright.domains.health.service import HealthResult
from sitewright.kit.hosts import decode_domain, is_below
from sitewright.kit.http.messages import Messages
from sitewright.sites.sites.schemas import DomainMapping
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.account.site_labels import SiteLabel
from sitewright.web.domains.service import CertificateView, CopiedRecord, HealthView, certificate_view, health_view


class ConnectedDomain(msgspec.Struct, frozen=True, kw_only=True):
    """An address of a site."""

    ref: int
    name: str
    is_main: bool
    is_brands: bool
    """Below the brand's domain: its DNS is not the account holder's business."""
    health: HealthView
    certificate: CertificateView
    records: list[CopiedRecord]
    check: str
    disconnect: str

    @property
    def is_pending(self) -> bool:
        """Something about it is likely to change within seconds."""
        leads_here = self.health.status in ("ok", "attention")
        return not self.is_brands and (self.health.is_pending or (leads_here and self.certificate.is_being_ordered))


class SiteDomains(msgspec.Struct, frozen=True, kw_only=True):
    label: SiteLabel
    domains: list[ConnectedDomain]


class DomainFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the service knows about domains, by ref."""

    health: Mapping[int, HealthResult]
    certificates: Mapping[int, CertificateState]
    addresses: Sequence[str]


def domains_of_site(
    label: SiteLabel,
    main_ref: int | None,
    domains: Sequence[DomainMapping],
    facts: DomainFacts,
    brand: BrandSettings,
    messages: Messages,
) -> SiteDomains:
    return SiteDomains(
        label=label,
        domains=[
            ConnectedDomain(
                ref=each.ref,
                name=decode_domain(each.domain),
                is_main=each.ref == main_ref,
                is_brands=is_below(each.domain, brand.domain),
                health=health_view(facts.health[each.ref], messages, facts.certificates[each.ref]),
                certificate=certificate_view(facts.certificates[each.ref], messages),
                records=records_for(each.domain, facts.addresses),
                check=f"{label.page}/domains/{each.ref}/check",
                disconnect=f"{label.page}/domains/{each.ref}/disconnect",
            )
            for each in domains
        ],
    )


def records_for(domain: str, addresses: Sequence[str]) -> list[CopiedRecord]:
    """One record for each address at which visitors reach the edge servers."""
    return [
        CopiedRecord("A" if isinstance(ip_address(address), IPv4Address) else "AAAA", domain, address)
        for address in addresses
    ]
