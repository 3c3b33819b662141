"""Delivery of media: the variants of the site's own pictures, from memory or streamed; never an original.

A file is named by a digest of its content, so browsers cache it forever. What is in memory is looked up again whenever
the site was: after half a minute, and at once when a medium of the site was deleted, since that notifies.
"""

import asyncio
import gzip
from functools import partial

import msgspec

from sitewright.edge.file_cache import RESPONSE_OVERHEAD
from sitewright.edge.lru import Lru
from sitewright.edge.request import Host, SiteRequest
from sitewright.edge.response import (
    GZIP,
    NO_CACHE,
    NOSNIFF,
    VARY,
    Response,
    build_response,
    not_modified,
    page_response,
)
from sitewright.edge.shared_bodies import SharedBodies
from sitewright.edge.single_flight import SingleFlight
from sitewright.edge.site_cache import SiteCache
from sitewright.edge.store import Site
from sitewright.kit import clock
from sitewright.kit.http.etags import etag_matches
from sitewright.kit.http.ranges import RangeNotSatisfiable, requested_range
from sitewright.kit.resources import Resources
from sitewright.sites.media.delivery import service as delivery
from sitewright.sites.media.delivery.service import MediaFile
from sitewright.sites.media.storage.service import ObjectMissing

PREFIX = b"/_media/"
ACCEPT_RANGES = (b"accept-ranges", b"bytes")
TRANSPARENT = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")


Key = tuple[int, str, bool]
"""The ref of the site, the file's name, and whether the response is compressed."""


class _Cached(msgspec.Struct):
    file: MediaFile
    response: Response
    checked_at: float
    """When the look-up began which found that the site has this file."""


class MediaDelivery:
    def __init__(self, resources: Resources, sites: SiteCache, bodies: SharedBodies, max_bytes: int) -> None:
        """`bodies` bounds what visitors hold; `max_bytes` what is cached."""
        self._resources = resources
        self._sites = sites
        self._bodies = bodies
        self._cached: Lru[Key, _Cached] = Lru(max_bytes)
        self._lookups = SingleFlight()
        """Of its own: an outage of the store of media must not count as one of the database."""

    @property
    def weight(self) -> int:
        return self._cached.weight

    async def respond(self, request: SiteRequest, site: Site, host: Host) -> Response:
        request.route = "media"
        try:
            found = await self._find(_key(request, site), site, host)
            return _not_found(request) if found is None else await self._respond(request, site, *found)
        except ObjectMissing:  # deleted meanwhile
            return _not_found(request)

    async def _respond(self, request: SiteRequest, site: Site, file: MediaFile, whole: Response) -> Response:
        if_none_match = request.headers.get(b"if-none-match")
        if if_none_match is not None and etag_matches(if_none_match, whole.etag):
            return not_modified(whole)
        try:
            part = _requested_range(request, file)
        except RangeNotSatisfiable:
            length = ((b"content-range", b"bytes */%d" % file.bytes), (b"content-length", b"0"))
            return build_response(416, (*length, ACCEPT_RANGES, NO_CACHE, NOSNIFF))
        return await self._send(request, site, file, whole, part)

    async def _send(
        self, request: SiteRequest, site: Site, file: MediaFile, whole: Response, part: tuple[int, int] | None
    ) -> Response:
        begin, end = part or (0, file.bytes)
        response = whole if part is None else _partial(whole, begin, end, file.bytes)
        if len(whole.body):
            return response
        if request.method == "GET":
            blocks = delivery.read_blocks(self._resources, site.brand_ref, file.object_key, begin, end)
            request.stream = await delivery.begun(blocks)
        return response

    async def _find(self, key: Key, site: Site, host: Host) -> tuple[MediaFile, Response] | None:
        """Return the file and its whole response, whose body is empty where the file is too large for the memory."""
        if not delivery.is_name(key[1]):
            return None
        entry = self._sites.known(host.name)
        cached = self._cached.get(key)
        if cached is not None and entry is not None and cached.checked_at >= entry.read_at:
            return cached.file, cached.response
        file, checked_at = await self._lookups.run(("file", *key[:2]), partial(self._look_up, site, key[1]))
        if file is None:
            self._cached.evict(key)
            return None
        if cached is not None and cached.file == file:
            cached.checked_at = checked_at
            return file, cached.response
        return file, await self._whole(site, key, file, checked_at)

    async def _look_up(self, site: Site, name: str) -> tuple[MediaFile | None, float]:
        began = clock.stopwatch()
        query = partial(delivery.find_file, site_ref=site.site_ref, name=name)
        return await self._resources.reads.find(site.brand_ref, query), began

    async def _whole(self, site: Site, key: Key, file: MediaFile, checked_at: float) -> Response:
        is_compressed = key[2]
        shared = ("media", site.brand_ref, file.object_key, is_compressed)
        if (used := self._bodies.find(shared)) is not None:
            return used
        fits = file.bytes * 8 <= self._cached.capacity and file.bytes <= self._bodies.max_body_bytes(site.brand_ref)
        if not fits:
            return file_response(file, b"")
        body = await self._lookups.run(shared, partial(self._read, site.brand_ref, file, is_compressed=is_compressed))
        response = file_response(file, body, is_compressed=is_compressed)
        response = self._bodies.share(site.brand_ref, shared, response)
        self._cached.put(key, _Cached(file, response, checked_at), len(body) + RESPONSE_OVERHEAD)
        return response

    async def _read(self, brand_ref: int, file: MediaFile, *, is_compressed: bool) -> bytes:
        blocks = delivery.read_blocks(self._resources, brand_ref, file.object_key, 0, file.bytes)
        body = b"".join([block async for block in blocks])
        return await asyncio.to_thread(gzip.compress, body, mtime=0) if is_compressed else body


def _key(request: SiteRequest, site: Site) -> Key:
    """Of the formats only SVG is text. Ranges are those of the file as it is stored."""
    name = request.raw_path.removeprefix(PREFIX).decode("latin-1")
    is_compressed = name.endswith(".svg") and request.accepts_gzip and b"range" not in request.headers
    return site.site_ref, name, is_compressed


def file_response(file: MediaFile, body: bytes, *, is_compressed: bool = False) -> Response:
    """The response of a whole file. HTTP requires a different ETag for each encoding."""
    headers = {
        "content-type": delivery.TYPES[file.format],
        "content-length": str(len(body) if is_compressed else file.bytes),
        **file.headers,
    }
    if is_compressed:
        headers["etag"] = f'"{file.etag}-gzip"'
    encoded = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    if file.format == "svg":
        encoded += [VARY, GZIP] if is_compressed else [VARY]
    return build_response(200, encoded, body, file.etag.encode("ascii"))


def _requested_range(request: SiteRequest, file: MediaFile) -> tuple[int, int] | None:
    header, condition = request.headers.get(b"range"), request.headers.get(b"if-range")
    if header is None or request.method != "GET":
        return None
    if_range = None if condition is None else condition.decode("latin-1")
    return requested_range(header.decode("latin-1"), if_range, file.bytes, file.headers["etag"])


def _not_found(request: SiteRequest) -> Response:
    """A transparent pixel: a page that was published before the picture was deleted shows nothing in its place."""
    request.route = "not-found"
    if delivery.is_name(request.raw_path.removeprefix(PREFIX).decode("latin-1")):
        return page_response("not-found", 404, TRANSPARENT, "image/gif", (NO_CACHE,))
    return page_response("not-found", 404, b"There is no such file.\n", "text/plain; charset=utf-8", (NO_CACHE,))


def _partial(whole: Response, begin: int, end: int, size: int) -> Response:
    changed = {b"content-length": b"%d" % (end - begin)}
    headers = [(name, changed.get(name, value)) for name, value in whole.headers]
    headers.append((b"content-range", b"bytes %d-%d/%d" % (begin, end - 1, size)))
    return build_response(206, headers, whole.body[begin:end], whole.etag)
