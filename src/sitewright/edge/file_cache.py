"""Cache of the files of published snapshots, as responses ready to be sent.

Snapshots are immutable, so entries are never invalidated: a publish has new keys, and old entries are evicted (LRU).
"""

from collections.abc import Awaitable, Callable
from functools import partial

from sitewright.edge import store
from sitewright.edge.decompression import Decompressor, decompressed_size
from sitewright.edge.lru import Lru
from sitewright.edge.response import GZIP, KINDS, NO_CACHE, SECURITY, VARY, Page, Response, build_response
from sitewright.edge.shared_bodies import SharedBodies
from sitewright.edge.single_flight import SingleFlight
from sitewright.edge.store import Site, StoredFile
from sitewright.kit.replicas import ReadDatabase

NOT_FOUND = ":not-found"
PAGES = ":pages"
SITEMAP = ":sitemap"
RESPONSE_OVERHEAD = 1500  # bytes that a response takes besides its body, measured
MAX_PLAIN_BYTES = 1024 * 1024
"""Larger pages are not cached decompressed, but decompressed while they are sent."""
PATHS_OVERHEAD, PATH_OVERHEAD = 700, 120  # bytes that a set of paths, and each path in it, takes besides its text
Key = tuple[int, int, str, bool]


class SnapshotGone(Exception):
    """The cached version no longer exists, so a notification of a change was missed."""


class FileCache:
    def __init__(
        self,
        reads: ReadDatabase,
        lookups: SingleFlight,
        decompressor: Decompressor,
        max_bytes: int,
        page_bytes: int = 0,
    ) -> None:
        """`page_bytes` is the size limit of a page."""
        self._reads = reads
        self._lookups = lookups
        self._decompressor = decompressor
        self._responses: Lru[Key, Response] = Lru(max_bytes - max_bytes // 8)
        self._paths: Lru[tuple[int, int], frozenset[str]] = Lru(max_bytes // 8)
        # Room for the cached bodies and for as many that are evicted but still being sent; at least four largest pages.
        self.bodies = SharedBodies(max(2 * max_bytes, 4 * page_bytes))

    @property
    def weight(self) -> int:
        return self._responses.weight + self._paths.weight

    def cached_response(self, site: Site, path: str, *, gzipped: bool) -> Response | None:
        """Return the response if it is in memory."""
        key = (site.site_ref, site.version_ref or 0, path, gzipped)
        return self._responses.get(key) or self.bodies.find(key)

    async def find(self, site: Site, path: str, *, gzipped: bool = True) -> Response | None:
        """Return the response for a file; None when the snapshot has no such file."""
        response = self.cached_response(site, path, gzipped=gzipped)
        if response is not None:
            return response
        paths = self._paths.get((site.site_ref, site.version_ref or 0))
        if paths is not None and path not in paths:
            return None
        response = self.cached_response(site, path, gzipped=True) or await self._load(site, path)
        if response is None:
            await self.paths(site)  # so that the next request for a missing file does not need the database
        elif not gzipped:
            response = await self._plain(site, path, response)
        return response

    async def _plain(self, site: Site, path: str, gzipped: Response) -> Response:
        """Return the response for clients that do not accept gzip."""
        if decompressed_size(gzipped.body) > MAX_PLAIN_BYTES:
            return uncompressed(gzipped, gzipped.body, decompress=True)
        key = (site.site_ref, site.version_ref, path, "plain")
        body = await self._lookups.run(key, partial(self._decompressor.decompress, gzipped.body))
        return self._put(site, path, uncompressed(gzipped, body), gzipped=False)

    async def build_once(
        self, site: Site, path: str, build: Callable[[], Awaitable[Response | None]], *, gzipped: bool, cached: bool
    ) -> Response | None:
        """Build a response from the snapshot's files, once for all concurrent requests, and cache it if `cached`.

        Look for it with `cached_response` first.
        """

        async def lookup() -> Response | None:
            response = await build()
            return None if response is None else self._put(site, path, response, gzipped=gzipped, cached=cached)

        return await self._lookups.run((site.site_ref, site.version_ref, path, "built", gzipped), lookup)

    async def paths(self, site: Site) -> frozenset[str]:
        """Return all paths of the snapshot."""
        key = (site.site_ref, site.version_ref or 0)
        paths = self._paths.get(key)
        return paths if paths is not None else await self._lookups.run(key, partial(self._list, site))

    async def _load(self, site: Site, path: str) -> Response | None:
        return await self._lookups.run((site.site_ref, site.version_ref, path), partial(self._read, site, path))

    async def _list(self, site: Site) -> frozenset[str]:
        key = (site.site_ref, site.version_ref or 0)
        paths = frozenset(await self._reads.find(site.brand_ref, lambda tx: store.list_paths(tx, *key)))
        if not paths:
            raise SnapshotGone
        self._paths.put(key, paths, PATHS_OVERHEAD + sum(len(path) + PATH_OVERHEAD for path in paths))
        return paths

    async def _read(self, site: Site, path: str) -> Response | None:
        max_bytes = self.bodies.max_body_bytes(site.brand_ref)
        file = await self._reads.find(
            site.brand_ref, lambda tx: store.read_file(tx, site.site_ref, site.version_ref or 0, path, max_bytes)
        )
        if file is None:
            return None
        response = file_response(file, "not-found" if path == NOT_FOUND else "page")
        return self._put(site, path, response, gzipped=True)

    def _put(self, site: Site, path: str, response: Response, *, gzipped: bool, cached: bool = True) -> Response:
        """Cache the response; an uncached body is still shared while in use. Raises `Busy` beyond the limit."""
        key = (site.site_ref, site.version_ref or 0, path, gzipped)
        response = self.bodies.share(site.brand_ref, key, response)
        if cached:
            self._responses.put(key, response, len(response.body) + RESPONSE_OVERHEAD)
        return response


def file_response(file: StoredFile, page: Page) -> Response:
    """Build the gzip response of a stored file. HTTP requires a different ETag for each encoding."""
    etag = file.etag.strip('"').encode("latin-1", "replace")
    headers = (
        (b"content-type", file.content_type.encode("latin-1", "replace")),
        (b"content-length", b"%d" % len(file.body)),
        (b"etag", b'"%s-gzip"' % etag),
        GZIP,
        VARY,
        NO_CACHE,
        KINDS[page],
        *SECURITY,
    )
    return build_response(404 if page == "not-found" else 200, headers, file.body, etag)


def uncompressed(response: Response, body: bytes | memoryview, *, decompress: bool = False) -> Response:
    """Build the uncompressed response. `decompress`: `body` is still gzip, and is decompressed while it is sent."""
    length = decompressed_size(body) if decompress else len(body)
    changed = {b"content-length": b"%d" % length, b"etag": b'"%s"' % response.etag}
    headers = ((name, changed.get(name, value)) for name, value in response.headers if name != GZIP[0])
    return build_response(response.status, headers, body, response.etag, decompress=decompress)
