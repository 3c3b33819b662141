"""The rules of mapped host names. Changes require the lock on the owner's row and then on the site."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import asyncpg

from sitewright.accounts.search import service as search
from sitewright.accounts.search.hooks import TermsOfUsers
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize
from sitewright.kit.links import host_of
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import FieldErrors
from sitewright.settings import Settings
from sitewright.sites.sites.domains import store
from sitewright.sites.sites.domains.reserved_names import is_reserved
from sitewright.sites.sites.errors import DomainLimitReached, DomainNotFound, DomainReserved, DomainTaken
from sitewright.sites.sites.hooks import (
    CollectedCertificates,
    MappedDomain,
    SiteCounts,
    certificates_collected,
    domains_mapped,
    domains_unmapped,
)
from sitewright.sites.sites.schemas import NO_CERTIFICATE, DomainMapping, ListedDomain
from sitewright.sites.sites.site_events import DOMAIN_MAPPED, DOMAIN_UNMAPPED, emit_domains
from sitewright.sites.sites.store import Site
from sitewright.tenants.brands.schemas import BrandSettings

CODE = "invalidDomain"


def check_name(field: str, text: str) -> FieldErrors:
    """Validate a host name that was sent in `field`."""
    try:
        normalize(text)
    except ValueError as error:
        return {field: {CODE: str(error)}}
    return {}


async def check_free(tx: Transaction, settings: Settings, caller: Caller, brand: BrandSettings, name: str) -> None:
    """Check that the brand may map the name: names at and below a brand's domain belong to that brand.

    Whether the name is mapped already is checked by a unique constraint.
    """
    owner_ref = await store.brand_of_name(tx, name)
    if owner_ref not in (None, brand.brand_ref) or _is_withheld(settings, caller, brand, name):
        raise DomainTaken
    if is_reserved(caller, brand, name):
        raise DomainReserved


async def map_again(tx: Transaction, settings: Settings, caller: Caller, brand: BrandSettings, site: Site) -> None:
    """Map the former domains of a restored site again, except those that are reserved or taken now."""
    names = [
        name
        for name in await store.former_domains(tx, site.ref)
        if not _is_withheld(settings, caller, brand, name) and not is_reserved(caller, brand, name)
    ]
    now = clock.now()
    mapped = await store.map_again(tx, site.ref, names, now)
    await domains_mapped.notify(tx, [MappedDomain(ref, site.ref, name) for ref, name in mapped])
    await _update_terms(tx, site)
    await emit_domains(tx, DOMAIN_MAPPED, site.ref, site.user_ref, mapped, now)


def _is_withheld(settings: Settings, caller: Caller, brand: BrandSettings, name: str) -> bool:
    """Whether the host is the service's own, or the brand's own domain, which resellers cannot map."""
    is_brand_domain = name == (brand.domain or "").lower()
    is_service_host = name in {host_of(settings.api_url), host_of(settings.service_url), *settings.acme_own_hosts}
    return is_service_host or (is_brand_domain and caller.reseller_ref is not None)


async def check_domain_count(tx: Transaction, settings: Settings, site_ref: int) -> None:
    """Check the limit before a domain is mapped, since responses list all domains of a site."""
    limit = settings.site_domains_limit
    if await store.count_domains(tx, site_ref, limit) >= limit:
        raise DomainLimitReached(limit)


@contextmanager
def raising_domain_taken() -> Iterator[None]:
    """Translate a unique violation, as concurrent mappings of one name cause it, to `DomainTaken`."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        if not store.is_taken(error):
            raise
        raise DomainTaken from None


async def list_domains(tx: Transaction, site_ref: int) -> list[DomainMapping]:
    """List the domains, oldest first."""
    return await store.list_domains(tx, site_ref)


async def list_domains_of_sites(tx: Transaction, site_refs: Sequence[int]) -> dict[int, list[DomainMapping]]:
    """List the domains of each of these sites, oldest first, in one statement."""
    found: dict[int, list[DomainMapping]] = {ref: [] for ref in site_refs}
    for each in await store.list_domains_of_sites(tx, site_refs):
        found[each.site_ref].append(each)
    return found


async def page_of_domains(tx: Transaction, site_ref: int, window: Window) -> tuple[list[DomainMapping], Page]:
    domains = await store.read_page_of_domains(tx, site_ref, window)
    return list(window.shown(domains)), cut(window, [domain.ref for domain in domains])


async def with_certificates(
    tx: Transaction, settings: Settings, domains: Sequence[DomainMapping]
) -> list[ListedDomain]:
    """The same domains, with what features above know about their certificates."""
    collected = CollectedCertificates(settings, [each.ref for each in domains])
    if domains:
        await certificates_collected.notify(tx, collected)
    return [
        ListedDomain(each.ref, each.site_ref, each.domain, collected.found.get(each.ref, NO_CERTIFICATE))
        for each in domains
    ]


async def map_domain(tx: Transaction, caller: Caller, site: Site, name: str) -> DomainMapping:
    """Map a normalized and checked name. The first domain of a site becomes its primary one."""
    now = clock.now()
    with raising_domain_taken():
        ref = await store.insert_domain(tx, site.ref, name, now)
    if site.primary_domain is None:
        await store.choose_primary(tx, site.ref, now)
    await domains_mapped.notify(tx, [MappedDomain(ref, site.ref, name)])
    await _update_terms(tx, site)
    await audit.record_by(tx, caller, "map domain", "site", site.ref, domainRef=ref)
    await emit_domains(tx, DOMAIN_MAPPED, site.ref, site.user_ref, [(ref, name)], now)
    return DomainMapping(ref, site.ref, name)


async def has_domain(tx: Transaction, site_ref: int, domain_ref: int) -> bool:
    return await store.domain_exists(tx, site_ref, domain_ref)


async def find_name(tx: Transaction, site_ref: int, domain_ref: int) -> str:
    """The host name of a mapping of the site."""
    await require_domain(tx, site_ref, domain_ref)
    return (await store.names_of(tx, [domain_ref]))[domain_ref]


async def require_domain(tx: Transaction, site_ref: int, domain_ref: int) -> None:
    if not await store.domain_exists(tx, site_ref, domain_ref):
        raise DomainNotFound


async def unmap_domain(tx: Transaction, caller: Caller, site: Site, domain_ref: int) -> None:
    """Unmap a domain; when it was primary, the oldest remaining one becomes primary."""
    now = clock.now()
    unmapped = await store.delete_domain(tx, site.ref, domain_ref)
    await domains_unmapped.notify(tx, list(unmapped.values()))
    if site.primary_domain_ref == domain_ref:
        await store.choose_primary(tx, site.ref, now)
    await _update_terms(tx, site)
    await audit.record_by(tx, caller, "unmap domain", "site", site.ref, domainRef=domain_ref)
    await emit_domains(tx, DOMAIN_UNMAPPED, site.ref, site.user_ref, unmapped.items(), now)


async def unmap_all(tx: Transaction, site: Site) -> None:
    """Unmap the domains of a soft-deleted site, and record them for `restore`."""
    unmapped = await store.unmap_all(tx, site.ref)
    await domains_unmapped.notify(tx, list(unmapped.values()))
    await _update_terms(tx, site)
    await emit_domains(tx, DOMAIN_UNMAPPED, site.ref, site.user_ref, unmapped.items(), clock.now())


async def delete_all(tx: Transaction, site: Site) -> None:
    """Delete the domains of an erased site."""
    unmapped = await store.delete_domains(tx, site.ref)
    await domains_unmapped.notify(tx, list(unmapped.values()))
    await _update_terms(tx, site)
    await emit_domains(tx, DOMAIN_UNMAPPED, site.ref, site.user_ref, dict.fromkeys(unmapped).items(), clock.now())


async def _update_terms(tx: Transaction, site: Site) -> None:
    """The owner is found by the domains of the site."""
    names = [each.domain for each in await store.list_domains(tx, site.ref)]
    await search.update_site(tx, site.user_ref, site.ref, names)


async def count_domains(tx: Transaction, counts: SiteCounts) -> None:
    """Observes `site_counted`."""
    counts.found["domains"] = await store.count_present_and_former(tx, counts.site_ref)


async def collect_terms(tx: Transaction, collected: TermsOfUsers) -> None:
    """Observes `user_terms_collected`."""
    for user_ref, site_ref, name in await store.list_domains_of_users(tx, collected.user_refs):
        collected.add_host(user_ref, site_ref, name)


async def hold(tx: Transaction, refs: Sequence[int]) -> list[int]:
    """Keep these domains mapped until the transaction ends; those that are not mapped any more are left out.

    Code that changes rows which unmapping deletes must hold the domains first: unmapping locks in that order too.
    """
    return await store.hold(tx, refs)


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The host names of mappings."""
    return await store.names_of(tx, refs)
