from functools import partial

from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import UserNotFound
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import Window, set_links
from sitewright.sites.sites import listing, service
from sitewright.sites.sites.checks import check_changes, check_new_site
from sitewright.sites.sites.errors import (
    AccountHolderDeleted,
    DomainReserved,
    DomainTaken,
    NeverPublished,
    PackageLimitReached,
    SiteNotFound,
)
from sitewright.sites.sites.requests import NewSite, SiteChanges, SiteFilter, SiteView, UserSitesView
from sitewright.sites.sites.schemas import CreatedSite, EditedSite, ListedSites, OneSite, UserSites
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound

SITE = "/sites/{site_ref:int}"


@endpoint("GET", "/sites", query=SiteFilter, list_field="sites", errors=(BrandNotFound,))
async def list_sites(call: Call) -> ListedSites:
    """The sites of the brand's account holders, page by page."""
    sites, window, page = await listing.list_sites(call.tx, call.caller, call.query(SiteFilter))
    if not sites.sites:
        await brands.require_brand(call.tx)
    set_links(call, window, page)
    return sites


@endpoint("GET", SITE, query=SiteView, errors=(SiteNotFound,))
async def get_site(call: Call, site_ref: int) -> OneSite:
    """One site of the brand."""
    query = call.query(SiteView)
    site = await service.find_site(call.tx, call.caller, site_ref, deleted=query.deleted)
    return OneSite(await service.present_site(call.tx, site.ref))


@endpoint("POST", "/sites", status=201, body=NewSite, brand_in_body=True, errors=(DomainReserved, DomainTaken))
async def create_site(call: Call) -> CreatedSite:
    """Create a site for an account holder, with its first domain and an empty profile.

    The package limits how many sites of an account holder may be live at the same time, not how many may be created.
    """
    brand = await brands.settings_of_brand_in_body(call.tx)
    new = await call.checked_body(NewSite, partial(check_new_site, call.tx, call.caller, brand))
    site = await service.create_site(call.tx, call.resources.settings, call.caller, brand, new)
    call.subject_refs["site_ref"] = site.ref
    return CreatedSite(site)


@endpoint(
    "PUT",
    SITE,
    body=SiteChanges,
    errors=(SiteNotFound, NeverPublished, AccountHolderDeleted, PackageLimitReached),
)
async def edit_site(call: Call, site_ref: int) -> EditedSite:
    """Change a site; omitted fields keep their values.

    `live: 1` makes a site that was published before visible to visitors, if the account holder's package allows it.
    """
    site = await service.find_site(call.tx, call.caller, site_ref, lock=True)
    changes = await call.checked_body(SiteChanges, partial(check_changes, call.tx, site))
    return EditedSite(await service.edit_site(call.tx, call.caller, site, changes))


@endpoint("DELETE", SITE, status=204, errors=(SiteNotFound,))
async def delete_site(call: Call, site_ref: int) -> None:
    """Soft-delete a site: it goes offline and its domains are unmapped; `restore` undoes it."""
    site = await service.find_site(call.tx, call.caller, site_ref, lock=True)
    await service.delete_site(call.tx, call.caller, site)


@endpoint("GET", "/users/{user_ref:int}/sites", query=UserSitesView, list_field="sites", errors=(UserNotFound,))
async def list_sites_of_user(call: Call, user_ref: int) -> UserSites:
    """The sites of an account holder, each with its profile."""
    user = await users.find_user(call.tx, call.caller, user_ref)
    query = call.query(UserSitesView)
    window = Window(limit=query.limit, offset=query.offset, after=query.after, before=query.before)
    sites, page = await service.present_user_sites(call.tx, user.ref, window, deleted=query.deleted)
    set_links(call, window, page)
    return UserSites(sites)


endpoints = [
    list_sites,
    get_site,
    create_site,
    edit_site,
    delete_site,
    list_sites_of_user,
]
