from sitewright.kit.http import Call, endpoint
from sitewright.kit.origin import service_url
from sitewright.kit.paging import ListQuery, set_links
from sitewright.sites.publishing.errors import PreviewLinkNotFound, TooManyPreviewLinks
from sitewright.sites.publishing.previews import service
from sitewright.sites.publishing.previews.schemas import NewPreviewLink, PreviewLinkList, PreviewLinkResponse
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.sites.sites.service import find_site

LINKS = "/sites/{site_ref:int}/preview-links"
LINK = LINKS + "/{preview_link_ref:int}"


@endpoint("POST", LINKS, status=201, body=NewPreviewLink, errors=(SiteNotFound, TooManyPreviewLinks))
async def create_preview_link(call: Call, site_ref: int) -> PreviewLinkResponse:
    """Create a link that shows the site as it would be published now, to people who have it and no account.

    It shows every change at once, also of a site that is offline. It runs no scripts and sends no forms, and search
    engines do not list it. `url` is returned only here. A site has at most 100 links at a time.
    """
    await find_site(call.tx, call.caller, site_ref)
    new = call.body(NewPreviewLink)
    host = service_url(call.resources.settings, call.request.origin)
    return PreviewLinkResponse(await service.create_link(call.tx, call.caller, site_ref, new.days, host))


@endpoint("GET", LINKS, query=ListQuery, list_field="preview_links", errors=(SiteNotFound,))
async def list_preview_links(call: Call, site_ref: int) -> PreviewLinkList:
    """The preview links of a site that still work, without their addresses."""
    window = call.query(ListQuery).window
    links, page = await service.list_links(call.tx, call.caller, site_ref, window)
    set_links(call, window, page)
    return PreviewLinkList(links)


@endpoint("DELETE", LINK, status=204, errors=(SiteNotFound, PreviewLinkNotFound))
async def delete_preview_link(call: Call, site_ref: int, preview_link_ref: int) -> None:
    """Delete a preview link: it stops working at once."""
    await service.delete_link(call.tx, call.caller, site_ref, preview_link_ref)


endpoints = [create_preview_link, list_preview_links, delete_preview_link]
