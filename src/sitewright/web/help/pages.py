"""`/help/editor`: the user guide of the editor. Everybody may read it, so that support can link to it."""

from pathlib import Path
from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import COMMON_CATALOG
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, Templates
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.http.routing import Route
from sitewright.kit.problems import NotFound
from sitewright.kit.resources import Resources
from sitewright.kit.text import language_of
from sitewright.kit.validation import parse_query, parse_ref
from sitewright.web.help.guide import DEFAULT, guides, pictures
from sitewright.web.login.log_in_as.service import find_banner
from sitewright.web.login.service import find_branding

GUIDE = "/help/editor"
PICTURE_HEADERS = {"cache-control": "public, max-age=86400"}
_templates = Templates(Path(__file__).parent / "templates")


class GuideQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The query of the guide."""

    language: Annotated[str | None, about("The reader's language; else the browser's.", "de")] = None
    brand_ref: Annotated[str | None, about("The brand in whose design it is shown; else the host's.", "1")] = None


async def show_guide(request: Request, resources: Resources) -> Response:
    """In the reader's language where the guide is written in it, else in English."""
    query = parse_query(request.query)
    branding = await find_branding(resources, request, parse_ref(query.get("brandRef", "")))
    wanted = language_of(query.get("language", "")) or branding.messages.language
    language = wanted if wanted in guides() else DEFAULT
    return _templates.page(
        "guide.html",
        brand=branding.brand,
        headers={},
        banner=await find_banner(request, resources),
        messages=COMMON_CATALOG.messages_for(language, None, ""),
        guide=guides()[language],
        pictures=pictures(),
    )


async def show_picture(_resources: Resources, picture: str) -> Response:
    found = pictures().get(picture.removesuffix(".webp"))
    if found is None or not picture.endswith(".webp"):
        raise NotFound
    return Response(200, found.content, PICTURE_HEADERS, "image/webp")


GUIDE_PAGE = PublicRoute(
    path=GUIDE,
    operation_id="showEditorGuide",
    summary="The user guide of the editor.",
    description="For account holders, in English and German. Other languages get the English one.",
    responses={200: "The page.", **UNAVAILABLE},
    query=GuideQuery,
    media_type=HTML,
)
PICTURE = PublicRoute(
    path="/help/pictures/{picture:str}",
    operation_id="getGuidePicture",
    summary="A picture of the user guide.",
    description="The guide links to it.",
    responses={200: "The picture."},
    media_type="image/webp",
    errors=(NotFound,),
)
PAGES: list[Route] = [Page(GUIDE_PAGE, show_guide, problem_page), PublicPage(PICTURE, show_picture)]
PUBLIC = (GUIDE_PAGE, PICTURE)
