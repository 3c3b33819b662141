"""View model of the domains page: the addresses of each site, their state, and the DNS records that they need."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from ipaddress import IPv4Address, ip_address

import msgspec
from markupsafe import Markup

from sitewright.kit.hosts import decode_domain, is_below
from sitewright.kit.http.messages import Messages
from sitewright.sites.sites.schemas import DomainMapping
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.account.site_labels import SiteLabel


class DnsRecord(msgspec.Struct, frozen=True):
    """A record to enter at the provider of the domain."""

    type: str
    name: str
    value: str


class ConnectedDomain(msgspec.Struct, frozen=True, kw_only=True):
    """An address of a site."""

    ref: int
    name: str
    is_main: bool
    is_brands: bool
    """Below the brand's domain: its DNS is not the account holder's business."""
    certificate: Markup | None
    """Until when its certificate is valid."""
    records: list[DnsRecord]
    disconnect: str


class SiteDomains(msgspec.Struct, frozen=True, kw_only=True):
    label: SiteLabel
    domains: list[ConnectedDomain]


class DomainFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the service knows about domains today. The result of the domain health check belongs here."""

    certificate_ends: Mapping[str, datetime]
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
                certificate=_day(facts.certificate_ends.get(each.domain), messages, brand.time_zone),
                records=records_for(each.domain, facts.addresses),
                disconnect=f"{label.page}/domains/{each.ref}/disconnect",
            )
            for each in domains
        ],
    )


def records_for(domain: str, addresses: Sequence[str]) -> list[DnsRecord]:
    """One record for each address at which visitors reach the edge servers."""
    return [
        DnsRecord("A" if isinstance(ip_address(address), IPv4Address) else "AAAA", domain, address)
        for address in addresses
    ]


def _day(at: datetime | None, messages: Messages, zone: str) -> Markup | None:
    return None if at is None else messages.day(at, zone)
