"""Routes of the editor: its page, and the calls of the page's script."""

from pathlib import Path

from sitewright.accounts.profiles import service as profiles
from sitewright.kit.http.page import SAME_ORIGIN_REFERRER, Templates
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.http.routing import Route
from sitewright.kit.validation import parse_query, parse_ref
from sitewright.web.account.holder_pages.service import (
    PageRequest,
    SiteLabel,
    authenticated_page,
    find_own_site,
    page_route,
)
from sitewright.web.editor.calls import CALLS
from sitewright.web.editor.drawings import pictures
from sitewright.web.editor.history import HISTORY_PAGES
from sitewright.web.editor.messages import messages_of
from sitewright.web.editor.routes import EDIT
from sitewright.web.editor.schemas import EditorQuery

EDITOR_PAGE = page_route(
    EDIT,
    "showEditor",
    "The visual editor of a site.",
    "Needs scripts. What it changes is saved at once, and published by its button.",
    EditorQuery,
)
DIRECTIVES = "connect-src 'self'; frame-src 'self'"
TEMPLATES = Templates(Path(__file__).parent / "templates")


async def show_editor(request: PageRequest, site_ref: int | None) -> Response:
    site = await find_own_site(request, site_ref)
    profile = await profiles.read_fields(request.tx, site.profile_ref)
    label = SiteLabel.of(site, request.messages, profile.get("business", "").strip() or None)
    page_ref = parse_ref(parse_query(request.http_request.query).get("page", ""))
    return TEMPLATES.page(
        "editor.html",
        form_action="'self'",
        more_directives=DIRECTIVES,
        headers=SAME_ORIGIN_REFERRER,
        brand=request.brand,
        messages=messages_of(request),
        banner=request.banner,
        site=label,
        page_ref=page_ref,
        pictures=pictures(),
    )


PAGES: list[Route] = [authenticated_page(EDITOR_PAGE, show_editor), *HISTORY_PAGES, *CALLS]
PUBLIC: tuple[PublicRoute, ...] = (
    EDITOR_PAGE,
    *(each.route for each in HISTORY_PAGES),
    *(each.route for each in CALLS),
)
