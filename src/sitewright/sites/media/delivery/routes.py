"""`/account/media/<brandRef>-<siteRef>-<name>`: files of media on the service's own host.

Previews, the editor and the media library show pictures of sites that are offline, or have no domain yet. Their frames
have an opaque origin and send no cookies, so no session is needed: a name contains 128 bits of a digest of the picture,
which nobody can guess.
"""

import re
from typing import Any

from sitewright.kit.http.call import Request
from sitewright.kit.http.etags import etag_matches
from sitewright.kit.http.public import PublicHandler, PublicRoute
from sitewright.kit.http.ranges import RangeNotSatisfiable, requested_range
from sitewright.kit.http.responses import Response
from sitewright.kit.http.streaming import Streamed
from sitewright.kit.problems import NotFound, Unavailable
from sitewright.kit.resources import Resources
from sitewright.sites.media.delivery import service
from sitewright.sites.media.delivery.service import NAME, OWN_HOST_PATH, MediaFile
from sitewright.sites.media.storage.service import ObjectMissing

ROUTE = PublicRoute(
    path=OWN_HOST_PATH + "{file:str}",
    operation_id="getMediaFile",
    summary="A variant of a picture, on the service's own host.",
    description="The `url` of a picture; previews and the editor use it, too. It works whether the site is online or"
    " not, until the picture or the site is deleted. Its name contains a digest of its content, so it may be cached"
    " forever. One `Range` may be requested.",
    responses={200: "The picture.", 206: "The requested part.", 304: "It has not changed."},
    media_type="image/*",
    tag="media",
    errors=(NotFound, RangeNotSatisfiable, Unavailable),
)
CROSS_ORIGIN = {"cross-origin-resource-policy": "cross-origin"}
"""The editor's frame has an opaque origin, which counts as another one."""
_FILE = re.compile(rf"([1-9][0-9]{{0,17}})-([1-9][0-9]{{0,17}})-({NAME})")


class MediaFileRoute(PublicHandler, frozen=True):
    async def handle(self, request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response:
        found = _FILE.fullmatch(path_parameters["file"])
        if found is None:
            raise NotFound
        brand_ref = request.context.brand_ref = int(found[1])
        async with resources.database.transaction(brand_ref) as tx:
            file = await service.find_file(tx, int(found[2]), found[3])
        if file is None:
            raise NotFound
        try:
            return await _respond(request, resources, brand_ref, file)
        except ObjectMissing:  # deleted meanwhile
            raise NotFound from None


async def _respond(request: Request, resources: Resources, brand_ref: int, file: MediaFile) -> Response:
    headers = file.headers | CROSS_ORIGIN
    if etag_matches(request.headers.get("if-none-match", "").encode(), file.etag.encode()):
        return Response(304, b"", headers)
    wanted = request.headers.get("range") if request.context.method == "GET" else None
    part = requested_range(wanted, request.headers.get("if-range"), file.bytes, headers["etag"])
    begin, end = part or (0, file.bytes)
    if part is not None:
        headers["content-range"] = f"bytes {begin}-{end - 1}/{file.bytes}"
    blocks = service.read_blocks(resources, brand_ref, file.object_key, begin, end)
    if request.context.method == "GET":
        blocks = await service.begun(blocks)
    return Streamed(
        200 if part is None else 206,
        b"",
        headers,
        service.TYPES[file.format],
        length=end - begin,
        chunks=lambda: blocks,
    )


PUBLIC = (ROUTE,)
PAGES = [MediaFileRoute(ROUTE)]
