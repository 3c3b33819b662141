"""A page of the draft, as the frame shows it after a change."""

from functools import partial

from sitewright.kit.validation import parse_query, parse_ref
from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.publishing import service as publishing
from sitewright.web.account.holder_pages.service import PageRequest, Work, find_own_site
from sitewright.web.editor.schemas import RenderedPage


async def prepare_page(request: PageRequest, site_ref: int | None) -> Work:
    """Render a page of the draft as the frame shows it, without holding a connection."""
    site = await find_own_site(request, site_ref)
    page_ref = parse_ref(parse_query(request.http_request.query).get("page", ""))
    if page_ref is None:
        raise PageNotFound
    return partial(
        publishing.edited_page, request.resources, request.brand.brand_ref, request.caller, site.ref, page_ref
    )


async def show_page(request: PageRequest, site_ref: int | None, prepared: bytes) -> RenderedPage:
    await find_own_site(request, site_ref)
    return RenderedPage(prepared.decode())
