"""`/assets/<name>-<hash>.<ext>`: styles, scripts and fonts of pages, which browsers may keep forever; and the icon."""

from pathlib import Path

from sitewright.kit import ui
from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import NotFound
from sitewright.kit.resources import Resources
from sitewright.kit.ui import assets

FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
BRIEFLY = {"cache-control": "public, max-age=60"}
DAY = {"cache-control": "public, max-age=86400"}
SVG = "image/svg+xml"
_ICON = (Path(ui.__file__).parent / "icon.svg").read_bytes()
PUBLIC = (
    PublicRoute(
        path="/assets/{file:str}",
        operation_id="getAsset",
        summary="A style sheet, script or font of the service's pages.",
        description="Its name contains a hash of its content, so it may be cached forever.",
        responses={200: "The file."},
        media_type="*/*",
        errors=(NotFound,),
    ),
    PublicRoute(
        path="/favicon.svg",
        operation_id="getIcon",
        summary="The icon of the service's pages.",
        description="Pages of a brand that has its own icon link to that instead.",
        responses={200: "The picture."},
        media_type=SVG,
    ),
    PublicRoute(
        path="/favicon.ico",
        operation_id="getFavicon",
        summary="The same icon, where browsers look for it by default.",
        description="An SVG, whatever its name says; every current browser reads its media type.",
        responses={200: "The picture."},
        media_type=SVG,
    ),
)


async def _asset(_resources: Resources, file: str) -> Response:
    """Another release's file name gets the current content, which is not cached for long: nodes differ in an update."""
    exact = assets.by_file_name().get(file)
    found = exact or assets.current_version(file)
    if found is None:
        raise NotFound
    return Response(200, found.body, FOREVER if exact else BRIEFLY, found.media_type)


async def _icon(_resources: Resources) -> Response:
    return Response(200, _ICON, DAY, SVG)


PAGES = [PublicPage(PUBLIC[0], _asset), *(PublicPage(route, _icon) for route in PUBLIC[1:])]
