"""Which site answers for a host: cached, invalidated by notifications of the database, and asked again after a while.

A cached site is good for 30 seconds, so that a change whose notification was lost shows by then. While the database is
away, what was good within the last five minutes still is.
"""

from typing import TypeAlias

from sitewright.edge import store
from sitewright.edge.host_cache import Entry, HostCache
from sitewright.edge.questions import LONGEST_SECONDS, Questions
from sitewright.edge.store import Site
from sitewright.kit import clock
from sitewright.kit.db import Database
from sitewright.kit.problems import Unavailable

STALE_SECONDS = 300.0
PATIENCE_SECONDS = 1.0  # how long a visitor waits to learn whether what is cached still holds
Known: TypeAlias = Entry[Site]


class Sites:
    def __init__(self, database: Database, questions: Questions) -> None:
        self._database = database
        self.cache: HostCache[Site] = HostCache(questions, "site", self._load, _group_of)

    def __len__(self) -> int:
        return len(self.cache)

    def known(self, host: str) -> Known | None:
        """What is cached of a host that has a site."""
        return self.cache.known(host)

    def is_good(self, known: Known) -> bool:
        return self.cache.is_fresh(known)

    async def find(self, host: str) -> Site | None:
        """None: no site has this host. Raises `Unavailable` when that cannot be told."""
        known = self.cache.get(host)
        if known is not None and self.cache.is_fresh(known):
            return known.value
        try:
            return (await self.cache.ask(host, LONGEST_SECONDS if known is None else PATIENCE_SECONDS)).value
        except Unavailable:
            known = self.cache.get(host)  # it may have changed meanwhile
            if known is None or clock.stopwatch() - known.asked_at > STALE_SECONDS:
                raise
            return known.value

    async def _load(self, host: str) -> Site | None:
        async with self._database.connection() as connection:
            return await store.site_of_host(connection, host)

    def tell(self, text: str) -> None:
        """A notification: the ref of a site that looks different now, and the host that was mapped or unmapped."""
        ref, _, host = text.partition(" ")
        if not ref.isdecimal():
            return
        for each in self.cache.hosts_in(int(ref)):
            self.cache.drop(each)
        self.cache.note_change(int(ref))
        if host:
            self.cache.drop(host)
            self.cache.note_change(host)

    def forget(self, host: str) -> None:
        self.cache.drop(host)

    def doubt_all(self) -> None:
        self.cache.expire_all()


def _group_of(_host: str, site: Site | None) -> int | None:
    return None if site is None else site.site_ref
