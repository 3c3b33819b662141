"""`/account/sites/:siteRef/edit/frame`: a page of the site as the editor's frame shows it."""

from functools import partial
from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query, parse_ref
from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.sites.service import Site
from sitewright.web.account.holder_pages.service import (
    SITE,
    PageRequest,
    Work,
    authenticated_page,
    find_own_site,
    no_preview_page,
    page_route,
)
from sitewright.web.editor.frame_policy import frame_page


class FrameQuery(msgspec.Struct, frozen=True, rename="camel"):
    """The page to show."""

    page: Annotated[int | None, about("The ref of a page of the site; without it, the home page.", 12)] = None


FRAME = page_route(
    f"{SITE}/edit/frame",
    "showEditorFrame",
    "A page of a site, for the frame of the editor.",
    "As it would be published now, with marks by which the editor finds its widgets. Only the editor's own script runs"
    " in it, in an opaque origin.",
    FrameQuery,
    {409: "A page: the template cannot render the site."},
)


async def render_edited(request: PageRequest, site: Site, page_ref: int | None) -> bytes:
    """Render a page with the editor's marks. Call it without holding a connection."""
    return await publishing.edited_page(request.resources, request.brand.brand_ref, request.caller, site.ref, page_ref)


async def prepare_frame(request: PageRequest, site_ref: int | None) -> Response | Work:
    site = await find_own_site(request, site_ref)
    page = parse_query(request.http_request.query).get("page")
    page_ref = None if page is None else parse_ref(page)
    if page is not None and page_ref is None:
        return no_preview_page(request, PageNotFound())
    return partial(_render, request, site, page_ref)


async def _render(request: PageRequest, site: Site, page_ref: int | None) -> bytes | Problem:
    try:
        return await render_edited(request, site, page_ref)
    except (PageNotFound, TemplateFailed, SiteTooLarge) as problem:
        return problem


async def show_frame(request: PageRequest, prepared: bytes | Problem, **_path_parameters: object) -> Response:
    return no_preview_page(request, prepared) if isinstance(prepared, Problem) else frame_page(prepared)


PAGES = [authenticated_page(FRAME, show_frame, prepare=prepare_frame)]
PUBLIC = tuple(page.route for page in PAGES)
