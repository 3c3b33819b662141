from typing import Any

from sitewright.kit.hosts import normalize
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.kit.problems import FieldErrors
from sitewright.sites.sites.domains import service
from sitewright.sites.sites.errors import DomainLimitReached, DomainNotFound, DomainReserved, DomainTaken, SiteNotFound
from sitewright.sites.sites.requests import NewDomain
from sitewright.sites.sites.schemas import DomainToSiteMap, DomainToSiteMaps
from sitewright.sites.sites.service import find_site
from sitewright.tenants.brands import service as brands

DOMAINS = "/sites/{site_ref:int}/domains"


@endpoint("GET", DOMAINS, query=ListQuery, list_field="domain_to_site_maps", errors=(SiteNotFound,))
async def list_domains(call: Call, site_ref: int) -> DomainToSiteMaps:
    """The domains mapped to a site, with their certificates."""
    await find_site(call.tx, call.caller, site_ref)
    window = call.query(ListQuery).window
    domains, page = await service.page_of_domains(call.tx, site_ref, window)
    set_links(call, window, page)
    return DomainToSiteMaps(await service.with_certificates(call.tx, call.resources.settings, domains))


@endpoint(
    "POST", DOMAINS, status=201, body=NewDomain, errors=(SiteNotFound, DomainReserved, DomainTaken, DomainLimitReached)
)
async def map_domain(call: Call, site_ref: int) -> DomainToSiteMap:
    """Map a domain to a site: from then on requests to it get the site. Its DNS must point to this environment."""
    site = await find_site(call.tx, call.caller, site_ref, lock=True)
    new = await call.checked_body(NewDomain, _check)
    name, brand = normalize(new.domain), await brands.settings_of_brand(call.tx)
    await service.check_free(call.tx, call.resources.settings, call.caller, brand, name)
    await service.check_domain_count(call.tx, call.resources.settings, site.ref)
    return DomainToSiteMap(await service.map_domain(call.tx, call.caller, site, name))


@endpoint("DELETE", DOMAINS + "/{domain_ref:int}", status=204, errors=(DomainNotFound, SiteNotFound))
async def unmap_domain(call: Call, site_ref: int, domain_ref: int) -> None:
    """Unmap a domain from a site: requests to it get the holding page. Any brand can map it again."""
    site = await find_site(call.tx, call.caller, site_ref, lock=True)
    await service.require_domain(call.tx, site.ref, domain_ref)
    await service.unmap_domain(call.tx, call.caller, site, domain_ref)


endpoints = [list_domains, map_domain, unmap_domain]


async def _check(read: dict[str, Any]) -> FieldErrors:
    return service.check_name("domain", read["domain"]) if "domain" in read else {}
