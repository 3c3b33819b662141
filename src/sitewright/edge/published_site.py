"""Responses of a site that is online: pages, assets, sitemap, and the site's own 404 page."""

from functools import partial
from urllib.parse import quote

from sitewright.edge import builtin_pages, sitemap
from sitewright.edge.brand_looks import BrandLooks
from sitewright.edge.decompression import Decompressor
from sitewright.edge.file_cache import NOT_FOUND, PAGES, SITEMAP, FileCache
from sitewright.edge.redirects import base_url, moved_permanently
from sitewright.edge.request import Host, SiteRequest, path_of
from sitewright.edge.response import IMMUTABLE, NO_CACHE, Response, not_modified, with_headers
from sitewright.edge.site_redirects import SiteRedirects
from sitewright.edge.store import Site
from sitewright.kit.http.etags import etag_matches

HOME_NAMES = ("home", "home/")
ASSETS = "_site/"
MIN_VERSION_LENGTH = 8


class PublishedSite:
    def __init__(
        self, files: FileCache, decompressor: Decompressor, looks: BrandLooks, redirects: SiteRedirects
    ) -> None:
        self._files = files
        self._decompressor = decompressor
        self._looks = looks
        self._redirects = redirects

    async def respond(self, request: SiteRequest, site: Site, host: Host) -> Response:
        path = path_of(request.raw_path)
        if path is None:
            return await self._not_found(request, site)
        found = self._files.cached_response(site, path, gzipped=request.accepts_gzip)
        if found is None:
            found = await self._find(request, site, host, path)
        if found.status != 200 or not found.etag:
            return found
        if request.query and path.startswith(ASSETS) and _is_versioned(request.query, found.etag):
            found = _immutable(found)
        if_none_match = request.headers.get(b"if-none-match")
        if if_none_match is not None and etag_matches(if_none_match, found.etag):
            return not_modified(found)
        return found

    async def _find(self, request: SiteRequest, site: Site, host: Host, path: str) -> Response:
        if path in HOME_NAMES:
            return self._redirect(request, "")
        if path == "robots.txt":
            request.route = "robots"
            return sitemap.robots(base_url(request, site, host))
        if path == "sitemap.xml":
            return await self._sitemap(request, site, host)
        found = await self._files.find(site, path, gzipped=request.accepts_gzip)
        if found is not None:
            return found
        return await self._elsewhere(request, site, path) or await self._not_found(request, site)

    async def _elsewhere(self, request: SiteRequest, site: Site, path: str) -> Response | None:
        """Redirect where the page is at another address: without the trailing slash, or moved."""
        if path.endswith("/") and path[:-1] in await self._files.paths(site):
            return self._redirect(request, path[:-1])
        target = await self._redirects.find(request, site, path)
        return None if target is None else moved_permanently(request, target)

    def _redirect(self, request: SiteRequest, path: str) -> Response:
        """Redirect to an existing page; the path is built from the snapshot, not from the request (open redirects)."""
        query = request.target.partition("?")[2]
        return moved_permanently(request, f"/{quote(path, safe='/~')}{query and '?'}{query}")

    async def _sitemap(self, request: SiteRequest, site: Site, host: Host) -> Response:
        """Return the sitemap with the site's URL filled in; not cached where the Host has a port, which can be any."""
        home = base_url(request, site, host)
        key = f"{SITEMAP} {home}"
        gzipped = request.accepts_gzip
        found = self._files.cached_response(site, key, gzipped=gzipped)
        if found is None:
            build = partial(self._build_sitemap, site, home, gzipped=gzipped)
            found = await self._files.build_once(site, key, build, gzipped=gzipped, cached=not host.port)
        if found is None:
            return await self._not_found(request, site)
        request.route = "sitemap"
        return found

    async def _build_sitemap(self, site: Site, home: str, *, gzipped: bool) -> Response | None:
        stored = await self._files.find(site, SITEMAP)
        if stored is not None:
            return await self._decompressor.run(sitemap.fill_in, home, stored.body, gzipped)
        pages = await self._files.find(site, PAGES)
        return None if pages is None else await self._decompressor.run(sitemap.from_pages, home, pages.body, gzipped)

    async def _not_found(self, request: SiteRequest, site: Site) -> Response:
        request.route = "not-found"
        own = await self._files.find(site, NOT_FOUND, gzipped=request.accepts_gzip)
        return own or builtin_pages.not_found(site.language_code, await self._looks.of_brand(site.brand_ref))


def _is_versioned(query: bytes, etag: bytes) -> bool:
    """Whether the query has the digest of this content; a page cached before the last publish has an older one."""
    version = query.rpartition(b"=")[2]
    return len(version) >= MIN_VERSION_LENGTH and etag.startswith(version)


def _immutable(found: Response) -> Response:
    return with_headers(found, (IMMUTABLE if header is NO_CACHE else header for header in found.headers))
