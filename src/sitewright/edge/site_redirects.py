"""Redirects of a snapshot from former addresses, looked up where it has no file: no cost for pages that exist."""

from urllib.parse import urlsplit

import msgspec

from sitewright.edge.decompression import Decompressor
from sitewright.edge.file_cache import PATH_OVERHEAD, PATHS_OVERHEAD, FileCache
from sitewright.edge.lru import Lru
from sitewright.edge.request import SiteRequest, path_of, quoted
from sitewright.edge.site_cache import SiteCache
from sitewright.edge.store import Site
from sitewright.kit.links import host_of

REDIRECTS = ":redirects"
MAX_PATH = 2000
"""Longer paths are not redirected."""
_DECODER = msgspec.json.Decoder(dict[str, str])
Targets = dict[str, str]
"""Paths of pages, with a leading slash, or URLs; by former path."""


class SiteRedirects:
    def __init__(self, sites: SiteCache, files: FileCache, decompressor: Decompressor, max_bytes: int) -> None:
        self._sites = sites
        self._files = files
        self._decompressor = decompressor
        self._targets: Lru[tuple[int, int], Targets] = Lru(max_bytes)

    async def find(self, request: SiteRequest, site: Site, path: str) -> str | None:
        """Return where the path leads, with the request's query; None where it is not redirected."""
        if len(path) > MAX_PATH or not (targets := await self._read(site)):
            return None
        segments = path.removesuffix("/").split("/")
        for number in range(len(segments), 0, -1):
            target = targets.get("/".join(segments[:number]))
            if target is not None:
                break
        else:
            return None
        below = _below(request.raw_path, segments[number:])
        is_page = target.startswith("/")
        if is_page and below and "/".join([target[1:], *segments[number:]]) not in await self._files.paths(site):
            below = ""  # else redirects to places below each other could lead in circles
        target = _joined(target, below)
        if not is_page and await self._leads_back(site, target):
            return None
        return _with_query(target, request.target.partition("?")[2])

    async def _leads_back(self, site: Site, url: str) -> bool:
        """Whether a URL is on this site itself, at no page of it, so that redirects could lead in circles.

        Its domain may have been mapped after the redirect was added.
        """
        there = await self._sites.find(host_of(url))
        if there is None or there.site_ref != site.site_ref:
            return False
        return path_of(urlsplit(url).path.encode()) not in await self._files.paths(site)

    async def _read(self, site: Site) -> Targets:
        key = (site.site_ref, site.version_ref or 0)
        targets = self._targets.get(key)
        if targets is None:
            file = await self._files.find(site, REDIRECTS)
            if file is None:
                return {}
            targets = _DECODER.decode(await self._decompressor.decompress(file.body))
            weight = sum(len(path) + len(target) + 2 * PATH_OVERHEAD for path, target in targets.items())
            self._targets.put(key, targets, PATHS_OVERHEAD + weight)
        return targets


def _below(raw_path: bytes, segments: list[str]) -> str:
    """Return the last segments as they were sent; none where one could change the meaning of the others."""
    if not segments or {"", ".", ".."} & set(segments):
        return ""
    return quoted(b"/".join(raw_path.rstrip(b"/").split(b"/")[-len(segments) :]))


def _joined(target: str, below: str) -> str:
    """Append to the path of a page other than the home page, or of a URL without a query."""
    if not below or target == "/" or "?" in target or "#" in target:
        return target
    return f"{target.removesuffix('/')}/{below}"


def _with_query(target: str, query: str) -> str:
    if not query:
        return target
    address, hash_sign, fragment = target.partition("#")
    return f"{address}{'&' if '?' in address else '?'}{query}{hash_sign}{fragment}"
