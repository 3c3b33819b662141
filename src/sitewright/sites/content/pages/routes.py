from functools import partial

from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import Window, set_links
from sitewright.sites.content import usage
from sitewright.sites.content.access import change_site, check_site
from sitewright.sites.content.errors import PageNotFound, PageUrlTaken, SiteFull
from sitewright.sites.content.pages import service
from sitewright.sites.content.pages.requests import NewPage, PageChanges, PageFilter
from sitewright.sites.content.schemas import PageList, PageResponse
from sitewright.sites.sites.errors import SiteNotFound

PAGES = "/sites/{site_ref:int}/pages"
PAGE = PAGES + "/{page_ref:int}"


@endpoint("GET", PAGES, query=PageFilter, list_field="pages", errors=(SiteNotFound,))
async def list_pages(call: Call, site_ref: int) -> PageList:
    """The pages of a site, oldest first."""
    await check_site(call.tx, call.caller, site_ref)
    query = call.query(PageFilter)
    window = Window(limit=query.limit, offset=query.offset, after=query.after, before=query.before)
    pages, shown = await service.list_pages(call.tx, site_ref, query.type, window)
    set_links(call, window, shown)
    return PageList(pages)


@endpoint("GET", PAGE, errors=(SiteNotFound, PageNotFound))
async def get_page(call: Call, site_ref: int, page_ref: int) -> PageResponse:
    """One page of a site."""
    await check_site(call.tx, call.caller, site_ref)
    return PageResponse(await service.find_page(call.tx, site_ref, page_ref))


@endpoint("POST", PAGES, body=NewPage, errors=(SiteNotFound, PageUrlTaken, SiteFull))
async def create_page(call: Call, site_ref: int) -> PageResponse:
    """Create a page, after the site's others unless `displayOrder` is sent. Visitors see it after the next publish."""
    await change_site(call.tx, call.caller, site_ref)
    new = await call.checked_body(NewPage, partial(service.check_page, call.tx, site_ref, None))
    await usage.check_page_count(call.tx, call.resources.settings, site_ref)
    page = await service.create_page(call.tx, call.caller, site_ref, new)
    await usage.check_bytes(call, site_ref)
    return PageResponse(page)


@endpoint("PUT", PAGE, body=PageChanges, errors=(SiteNotFound, PageNotFound, PageUrlTaken, SiteFull))
async def edit_page(call: Call, site_ref: int, page_ref: int) -> PageResponse:
    """Change a page; omitted fields keep their values."""
    await change_site(call.tx, call.caller, site_ref)
    page = await service.find_page(call.tx, site_ref, page_ref)
    changes = await call.checked_body(PageChanges, partial(service.check_page, call.tx, site_ref, page_ref))
    page = await service.edit_page(call.tx, call.caller, site_ref, page, changes)
    await usage.check_bytes(call, site_ref)
    return PageResponse(page)


@endpoint("DELETE", PAGE, status=204, errors=(SiteNotFound, PageNotFound))
async def delete_page(call: Call, site_ref: int, page_ref: int) -> None:
    """Delete a page and its widgets; its child pages move to its parent."""
    await change_site(call.tx, call.caller, site_ref)
    page = await service.find_page(call.tx, site_ref, page_ref)
    await service.delete_page(call.tx, call.caller, site_ref, page)


endpoints = [list_pages, get_page, create_page, edit_page, delete_page]
