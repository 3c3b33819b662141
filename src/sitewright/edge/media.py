"""Delivery of media: the variants of the site's own pictures, from memory or streamed; never an original.

A file is named by a digest of its content, so browsers cache it forever. What is in memory is looked up again whenever
the site was: after half a minute, and at once when a medium of the site was deleted, since that notifies.
"""

import re
from collections.abc import AsyncIterator
from functools import partial

import msgspec

from sitewright.edge import store
from sitewright.edge.file_cache import RESPONSE_OVERHEAD
from sitewright.edge.lru import Lru
from sitewright.edge.published_site import etag_matches
from sitewright.edge.ranges import NotSatisfiable, requested_range
from sitewright.edge.request import Host, SiteRequest
from sitewright.edge.response import (
    IMMUTABLE,
    NO_CACHE,
    NOSNIFF,
    Header,
    Response,
    build_response,
    not_modified,
    page_response,
)
from sitewright.edge.shared_bodies import SharedBodies
from sitewright.edge.single_flight import SingleFlight
from sitewright.edge.site_cache import SiteCache
from sitewright.edge.store import MediaFile, Site
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.media.storage import service as storage
from sitewright.sites.media.storage.service import ObjectMissing

PREFIX = b"/_media/"
BLOCK_BYTES = 256 * 1024
"""How much of a streamed file is in memory: read at once, so that a slow visitor holds no connection to a store."""
TYPES = {
    "avif": b"image/avif",
    "webp": b"image/webp",
    "jpg": b"image/jpeg",
    "png": b"image/png",
    "svg": b"image/svg+xml",
}
SVG_POLICY = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox")
"""For visitors who open the file itself; within a page, an image runs no scripts anyway."""
ACCEPT_RANGES = (b"accept-ranges", b"bytes")
TRANSPARENT = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
_NAME = re.compile(rb"[0-9a-f]{32}-[1-9][0-9]{0,4}\.(?:avif|webp|jpg|png|svg)")


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
        self._cached: Lru[tuple[int, str], _Cached] = Lru(max_bytes)
        self._lookups = SingleFlight()
        """Of its own: an outage of the store of media must not count as one of the database."""

    @property
    def weight(self) -> int:
        return self._cached.weight

    async def respond(self, request: SiteRequest, site: Site, host: Host) -> Response:
        request.route = "media"
        try:
            found = await self._find(request.raw_path.removeprefix(PREFIX), site, host)
            return _not_found(request) if found is None else await self._respond(request, site, *found)
        except ObjectMissing:  # deleted meanwhile
            return _not_found(request)

    async def _respond(self, request: SiteRequest, site: Site, file: MediaFile, whole: Response) -> Response:
        if_none_match = request.headers.get(b"if-none-match")
        if if_none_match is not None and etag_matches(if_none_match, whole.etag):
            return not_modified(whole)
        try:
            part = requested_range(request, file.bytes, b'"%s"' % whole.etag)
        except NotSatisfiable:
            length = ((b"content-range", b"bytes */%d" % file.bytes), (b"content-length", b"0"))
            return build_response(416, (*length, ACCEPT_RANGES, NO_CACHE, NOSNIFF))
        return await self._send(request, site, file, whole, part)

    async def _send(
        self, request: SiteRequest, site: Site, file: MediaFile, whole: Response, part: tuple[int, int] | None
    ) -> Response:
        begin, end = part or (0, file.bytes)
        response = whole if part is None else _partial(whole, begin, end, file.bytes)
        if len(whole.body) == file.bytes:
            return response
        if request.method == "GET":
            stream = self._blocks(site.brand_ref, file.object_key, begin, end)
            first = await anext(stream)  # before the headers are sent: a store that fails is still a 503
            request.stream = _joined(first, stream)
        return response

    async def _find(self, name: bytes, site: Site, host: Host) -> tuple[MediaFile, Response] | None:
        """Return the file and its whole response, whose body is empty where the file is too large for the memory."""
        if not _NAME.fullmatch(name):
            return None
        key = (site.site_ref, name.decode("ascii"))
        entry = self._sites.known(host.name)
        cached = self._cached.get(key)
        if cached is not None and entry is not None and cached.checked_at >= entry.read_at:
            return cached.file, cached.response
        file, checked_at = await self._lookups.run(("file", *key), partial(self._look_up, site, key[1]))
        if file is None:
            self._cached.evict(key)
            return None
        if cached is not None and cached.file == file:
            cached.checked_at = checked_at
            return file, cached.response
        return file, await self._whole(site, key, file, checked_at)

    async def _look_up(self, site: Site, name: str) -> tuple[MediaFile | None, float]:
        began = clock.stopwatch()
        async with self._resources.database.transaction(site.brand_ref) as tx:
            return await store.find_media_file(tx, site.site_ref, name), began

    async def _whole(self, site: Site, key: tuple[int, str], file: MediaFile, checked_at: float) -> Response:
        shared = ("media", site.brand_ref, file.object_key)
        if (used := self._bodies.find(shared)) is not None:
            return used
        fits = file.bytes * 8 <= self._cached.capacity and file.bytes <= self._bodies.max_body_bytes(site.brand_ref)
        if not fits:
            return file_response(file, b"")
        body = await self._lookups.run(shared, partial(self._read, site.brand_ref, file))
        response = self._bodies.share(site.brand_ref, shared, file_response(file, body))
        self._cached.put(key, _Cached(file, response, checked_at), len(body) + RESPONSE_OVERHEAD)
        return response

    async def _read(self, brand_ref: int, file: MediaFile) -> bytes:
        return b"".join([block async for block in self._blocks(brand_ref, file.object_key, 0, file.bytes)])

    async def _blocks(self, brand_ref: int, key: str, begin: int, end: int) -> AsyncIterator[bytes]:
        for start in range(begin, end, BLOCK_BYTES):
            until = min(start + BLOCK_BYTES, end)
            chunks = storage.read(self._resources, brand_ref, key, start, until)
            yield b"".join([chunk async for chunk in chunks])


def file_response(file: MediaFile, body: bytes) -> Response:
    """The response of a whole file. The ETag is the object's key, since no key is ever used for other bytes."""
    etag = file.object_key.rpartition("/")[2].encode("ascii")
    own: tuple[Header, ...] = (
        (b"content-type", TYPES[file.format]),
        (b"content-length", b"%d" % file.bytes),
        (b"etag", b'"%s"' % etag),
    )
    policy = (SVG_POLICY,) if file.format == "svg" else ()
    return build_response(200, (*own, IMMUTABLE, ACCEPT_RANGES, NOSNIFF, *policy), body, etag)


def _not_found(request: SiteRequest) -> Response:
    """A transparent pixel: a page that was published before the picture was deleted shows nothing in its place."""
    request.route = "not-found"
    if _NAME.fullmatch(request.raw_path.removeprefix(PREFIX)):
        return page_response("not-found", 404, TRANSPARENT, "image/gif", (NO_CACHE,))
    return page_response("not-found", 404, b"There is no such file.\n", "text/plain; charset=utf-8", (NO_CACHE,))


def _partial(whole: Response, begin: int, end: int, size: int) -> Response:
    changed = {b"content-length": b"%d" % (end - begin)}
    headers = [(name, changed.get(name, value)) for name, value in whole.headers]
    headers.append((b"content-range", b"bytes %d-%d/%d" % (begin, end - 1, size)))
    return build_response(206, headers, whole.body[begin:end], whole.etag)


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for block in rest:
        yield block
