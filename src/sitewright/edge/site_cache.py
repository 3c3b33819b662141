"""Cache of the site of each host, invalidated by database notifications and revalidated after 30 seconds.

While the database is unavailable, entries are served stale for up to five minutes.
"""

from typing import TypeAlias

from sitewright.edge import store
from sitewright.edge.host_cache import Entry, HostCache
from sitewright.edge.single_flight import MAX_WAIT_SECONDS, SingleFlight
from sitewright.edge.store import Site
from sitewright.kit import clock
from sitewright.kit.problems import Unavailable
from sitewright.kit.replicas import ReadDatabase

MAX_STALE_SECONDS = 300.0
REVALIDATE_TIMEOUT_SECONDS = 1.0  # how long a visitor waits for a revalidation before the stale entry is used
SiteEntry: TypeAlias = Entry[Site]


class SiteCache:
    def __init__(self, reads: ReadDatabase, lookups: SingleFlight) -> None:
        self._reads = reads
        self.cache: HostCache[Site] = HostCache(lookups, "site", self._fetch, _group_of)

    def __len__(self) -> int:
        return len(self.cache)

    def known(self, host: str) -> SiteEntry | None:
        """Return the cache entry of a host that has a site."""
        return self.cache.known(host)

    def is_fresh(self, entry: SiteEntry) -> bool:
        return self.cache.is_fresh(entry)

    async def find(self, host: str) -> Site | None:
        """Return the site of a host, None if there is none. Raises `Unavailable` without database or stale entry."""
        entry = self.cache.get(host)
        if entry is not None and self.cache.is_fresh(entry):
            return entry.value
        timeout = MAX_WAIT_SECONDS if entry is None else REVALIDATE_TIMEOUT_SECONDS
        try:
            return (await self.cache.look_up(host, timeout)).value
        except Unavailable:
            entry = self.cache.get(host)  # a notification may have changed it meanwhile
            if entry is None or clock.stopwatch() - entry.read_at > MAX_STALE_SECONDS:
                raise
            return entry.value

    async def _fetch(self, host: str) -> Site | None:
        return await self._reads.read(None, lambda connection: store.site_of_host(connection, host))

    def on_notification(self, text: str) -> None:
        """Invalidate by a notification: the ref of a changed site, and optionally a host mapped or unmapped."""
        ref, _, host = text.partition(" ")
        if not ref.isdecimal():
            return
        for each in self.cache.hosts_in(int(ref)):
            self.cache.evict(each)
        self.cache.record_change(int(ref))
        if host:
            self.cache.evict(host)
            self.cache.record_change(host)

    def evict(self, host: str) -> None:
        self.cache.evict(host)

    def expire_all(self) -> None:
        self.cache.expire_all()


def _group_of(_host: str, site: Site | None) -> int | None:
    return None if site is None else site.site_ref
