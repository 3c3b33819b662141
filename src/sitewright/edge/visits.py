"""Counts views of pages in memory and writes them in batches: no cookies, no addresses, nothing about a visitor."""

import asyncio
import logging
import re
from functools import lru_cache
from urllib.parse import urlsplit

from sitewright.edge.request import MAX_CACHED_BYTES, SiteRequest, host_of, path_of
from sitewright.edge.response import Response
from sitewright.edge.statistics import service as statistics
from sitewright.edge.statistics.service import Counts, Views
from sitewright.edge.store import Site
from sitewright.kit.db import Database
from sitewright.kit.problems import Unavailable

FLUSH_SECONDS = 10.0
MAX_PENDING = 50_000
"""Entries in memory; while the database is unavailable, views of further pages are not counted."""
HTML = (b"content-type", b"text/html; charset=utf-8")
_ROBOT = re.compile(rb"bot|crawl|spider|slurp|preview|monitor|scan|fetch|archive|feed", re.IGNORECASE)
_log = logging.getLogger("sitewright.visits")


class VisitCounter:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: dict[int, Counts] = {}
        self._entries = 0

    def add(self, site: Site, page: str, headers: dict[bytes, bytes]) -> None:
        """Count one view of a page. A view that another page of the site did not lead to begins a visit."""
        if not _is_person(headers.get(b"user-agent", b"")[:MAX_CACHED_BYTES]) or b"sec-purpose" in headers:
            return
        referrer = _referrer(headers.get(b"referer", b"")[:MAX_CACHED_BYTES])
        own = host_of(headers.get(b"host", b""))
        is_visit = headers.get(b"sec-fetch-site") != b"same-origin" and (own is None or referrer != own.name)
        self._count(site, ("page", page), is_visit=is_visit)
        if is_visit and referrer:
            self._count(site, ("referrer", referrer), is_visit=True)

    def _count(self, site: Site, item: tuple[str, str], *, is_visit: bool) -> None:
        counts = self._pending.setdefault(site.brand_ref, {})
        key = (site.site_ref, *item)
        views = counts.get(key)
        if views is None:
            if self._entries >= MAX_PENDING:
                return
            self._entries += 1
            views = counts[key] = Views()
        views.views += 1
        views.visits += is_visit

    async def run(self) -> None:
        """Write periodically for the life of the process, and once more at its end."""
        try:
            while True:
                await asyncio.sleep(FLUSH_SECONDS)
                await self.flush()
        finally:
            await self.flush()

    async def flush(self) -> None:
        """One transaction per brand; what cannot be written stays for the next time."""
        for brand_ref in list(self._pending):
            counts = self._pending.pop(brand_ref)
            self._entries -= len(counts)
            try:
                await statistics.add(self._database, brand_ref, counts)
            except Unavailable:
                self._keep(brand_ref, counts)
            except Exception:
                _log.exception("views of pages could not be stored")

    def _keep(self, brand_ref: int, counts: Counts) -> None:
        """Put back what could not be written, with what was counted meanwhile."""
        pending = self._pending.setdefault(brand_ref, {})
        for key, views in counts.items():
            there = pending.get(key)
            if there is None:
                self._entries += 1
                pending[key] = views
            else:
                there.views += views.views
                there.visits += views.visits


def counted_page(request: SiteRequest, response: Response) -> str | None:
    """The path of the page that a response shows, or confirms to be still the one in the browser's cache."""
    if request.method != "GET" or request.route != "page" or request.site is None:
        return None
    if response.status != 304 and (response.status != 200 or HTML not in response.headers):
        return None
    path = path_of(request.raw_path)
    return None if path is None or path.startswith("_") else path


@lru_cache(maxsize=4096)
def _is_person(user_agent: bytes) -> bool:
    return user_agent.startswith(b"Mozilla/") and not _ROBOT.search(user_agent)


@lru_cache(maxsize=4096)
def _referrer(header: bytes) -> str:
    """The host that led here; empty where the browser does not say, or says something that is no host."""
    try:
        host = host_of((urlsplit(header.decode("ascii")).hostname or "").encode())
    except ValueError:
        return ""
    return "" if host is None else host.name
