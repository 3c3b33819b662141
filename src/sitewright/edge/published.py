"""What a site that is online shows: its pages, what belongs to them, and its own page for what is not there."""

from functools import partial
from urllib.parse import quote

from sitewright.edge import own_pages, sitemap
from sitewright.edge.addresses import home_of, moved
from sitewright.edge.answer import FOR_EVER, NO_CACHE, Answer, not_modified, with_headers
from sitewright.edge.files import NOT_FOUND, PAGES, SITEMAP, Files
from sitewright.edge.inflating import Inflater
from sitewright.edge.store import Site
from sitewright.edge.visit import Host, Visit, path_of

HOME_NAMES = ("home", "home/")
ASSETS = "_site/"
SHORTEST_NAME = 8


class Published:
    def __init__(self, files: Files, inflater: Inflater) -> None:
        self._files = files
        self._inflater = inflater

    async def show(self, visit: Visit, site: Site, host: Host) -> Answer:
        path = path_of(visit.raw_path)
        if path is None:
            return await self._not_found(visit, site)
        found = self._files.kept(site, path, zipped=visit.takes_gzip)
        if found is None:
            found = await self._find(visit, site, host, path)
        if found.status != 200 or not found.etag:
            return found
        if visit.query and path.startswith(ASSETS) and _is_named_in(visit.query, found.etag):
            found = _kept_for_ever(found)
        wanted_unless = visit.headers.get(b"if-none-match")
        if wanted_unless is not None and has_tag(wanted_unless, found.etag):
            return not_modified(found)
        return found

    async def _find(self, visit: Visit, site: Site, host: Host, path: str) -> Answer:
        if path in HOME_NAMES:
            return self._moved_to(visit, "")
        if path == "robots.txt":
            visit.route = "robots"
            return sitemap.robots(home_of(visit, site, host))
        if path == "sitemap.xml":
            return await self._sitemap(visit, site, host)
        found = await self._files.find(site, path, zipped=visit.takes_gzip)
        if found is not None:
            return found
        if path.endswith("/") and path[:-1] in await self._files.paths(site):
            return self._moved_to(visit, path[:-1])
        return await self._not_found(visit, site)

    def _moved_to(self, visit: Visit, path: str) -> Answer:
        """Within the site, to a page that is there: nothing of the address as sent goes into the path."""
        query = visit.rest.partition("?")[2]
        return moved(visit, f"/{quote(path, safe='/~')}{query and '?'}{query}")

    async def _sitemap(self, visit: Visit, site: Site, host: Host) -> Answer:
        """Cached with the site's address filled in, unless the visitor named a port: those could be any number."""
        home = home_of(visit, site, host)
        key = f"{SITEMAP} {home}"
        found = self._files.kept(site, key, zipped=False)
        if found is None:
            make = partial(self._make_sitemap, site, home)
            found = await self._files.made(site, key, make, cached=not host.port)
        if found is None:
            return await self._not_found(visit, site)
        visit.route = "sitemap"
        return found

    async def _make_sitemap(self, site: Site, home: str) -> Answer | None:
        stored = await self._files.find(site, SITEMAP)
        if stored is not None:
            return await self._inflater.run(sitemap.filled, home, stored.body)
        pages = await self._files.find(site, PAGES)
        return None if pages is None else await self._inflater.run(sitemap.from_pages, home, pages.body)

    async def _not_found(self, visit: Visit, site: Site) -> Answer:
        visit.route = "not-found"
        own = await self._files.find(site, NOT_FOUND, zipped=visit.takes_gzip)
        return own or own_pages.not_found(site.language_code)


def has_tag(header: bytes, etag: bytes) -> bool:
    """Whether If-None-Match names the file, in whichever encoding."""
    if header.strip() == b"*":
        return True
    tags = (tag.strip().removeprefix(b"W/").strip(b'"') for tag in header.split(b","))
    return any(tag in (etag, etag + b"-gzip") for tag in tags)


def _is_named_in(query: bytes, etag: bytes) -> bool:
    """Whether the address names this very content. It may name another: that of a page from before the last publish."""
    name = query.rpartition(b"=")[2]
    return len(name) >= SHORTEST_NAME and etag.startswith(name)


def _kept_for_ever(found: Answer) -> Answer:
    return with_headers(found, (FOR_EVER if header is NO_CACHE else header for header in found.headers))
