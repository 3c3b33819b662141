from functools import partial

from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.sites.content.access import change_site, check_site
from sitewright.sites.content.errors import PageUrlTaken, RedirectExists, RedirectNotFound, SiteFull
from sitewright.sites.content.redirects import service
from sitewright.sites.content.redirects.schemas import NewRedirect, RedirectList, RedirectResponse
from sitewright.sites.sites.errors import PackageLimitReached, SiteNotFound

REDIRECTS = "/sites/{site_ref:int}/redirects"
REDIRECT = REDIRECTS + "/{redirect_ref:int}"


@endpoint("GET", REDIRECTS, query=ListQuery, list_field="redirects", errors=(SiteNotFound,))
async def list_redirects(call: Call, site_ref: int) -> RedirectList:
    """The redirects of a site: those that were added, and the former addresses of its pages, which are kept
    automatically."""
    await check_site(call.tx, call.caller, site_ref)
    window = call.query(ListQuery).window
    redirects, shown = await service.list_redirects(call.tx, site_ref, window)
    set_links(call, window, shown)
    return RedirectList(redirects)


@endpoint(
    "POST",
    REDIRECTS,
    status=201,
    body=NewRedirect,
    errors=(SiteNotFound, PackageLimitReached, PageUrlTaken, RedirectExists, SiteFull),
)
async def create_redirect(call: Call, site_ref: int) -> RedirectResponse:
    """Add a redirect from a path that no page of the site has. Visitors are redirected after the next publish.

    They get 301, with the query of their request. Paths below the former one lead to the same place below the page,
    where there is one, else to the page; on another website always to the same place below `url`.
    When the address of a page changes, its former one becomes a redirect by itself; a page that is created at the path
    of a redirect removes it. A site has at most 1,000 redirects.
    """
    await change_site(call.tx, call.caller, site_ref)
    new = await call.checked_body(NewRedirect, partial(service.check_redirect, call.tx, site_ref))
    return RedirectResponse(await service.add_redirect(call.tx, call.caller, site_ref, new))


@endpoint("DELETE", REDIRECT, status=204, errors=(SiteNotFound, RedirectNotFound))
async def delete_redirect(call: Call, site_ref: int, redirect_ref: int) -> None:
    """Delete a redirect. Visitors get 404 at its path after the next publish."""
    await change_site(call.tx, call.caller, site_ref)
    await service.delete_redirect(call.tx, call.caller, site_ref, redirect_ref)


endpoints = [list_redirects, create_redirect, delete_redirect]
