"""`/_site/fonts/<name>.<hash>.woff2` on the service's own host: bundled fonts, for previews and for the editor."""

from sitewright.kit import site_fonts
from sitewright.kit.http.assets_page import DAY, FOREVER
from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import NotFound
from sitewright.kit.resources import Resources

FOR_ANY_ORIGIN = {"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"}
"""A preview is sandboxed: its origin is opaque, and browsers load fonts of other origins only with this header."""
PUBLIC = (
    PublicRoute(
        path=site_fonts.ADDRESS + "{file:str}",
        operation_id="getSiteFont",
        summary="A font of the built-in templates.",
        description="Its name contains a hash of its content, so it may be cached forever. Sites have it on their own"
        " hosts under the same path.",
        responses={200: "The file."},
        media_type=site_fonts.MEDIA_TYPE,
        errors=(NotFound,),
        tag="templates",
    ),
)


async def _font(_resources: Resources, file: str) -> Response:
    found = site_fonts.find_file(file)
    if found is None:
        raise NotFound
    return Response(200, found.body, (FOREVER if found.is_exact else DAY) | FOR_ANY_ORIGIN, site_fonts.MEDIA_TYPE)


PAGES = [PublicPage(PUBLIC[0], _font)]
