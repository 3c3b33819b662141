"""`/resources/brands/<brandRef>/<name>-<digest>`: a brand's logo and favicon, which browsers may keep forever."""

import re
from typing import Literal, cast

from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import NotFound, Unavailable
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands

_NAME = re.compile(r"(logo|favicon)-([0-9a-f]{32})")
HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
}
"""An SVG may hold scripts and styles: where it is opened by itself, it is sandboxed and runs none."""
ROUTE = PublicRoute(
    path="/resources/brands/{brand_ref:int}/{picture:str}",
    operation_id="getBrandPicture",
    summary="The logo or the favicon of a brand.",
    description="Pages link to it. Its name contains a digest of its content, so it may be cached forever.",
    responses={200: "The picture."},
    media_type="image/*",
    tag="brands",
    errors=(NotFound, Unavailable),
)


async def _picture(resources: Resources, brand_ref: int | None, picture: str) -> Response:
    named = _NAME.fullmatch(picture)
    if named is None or brand_ref is None:
        raise NotFound
    async with resources.database.transaction(brand_ref) as tx:
        found = await brands.find_picture(tx, cast(Literal["logo", "favicon"], named[1]), named[2])
    if found is None:
        raise NotFound
    return Response(200, found.content, HEADERS, found.media_type)


PAGES = [PublicPage(ROUTE, _picture)]
PUBLIC = (ROUTE,)
