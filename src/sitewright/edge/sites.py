"""Which site answers for a host: remembered, told of changes by the database, and asked again after a while.

What is remembered is good for 30 seconds, so that a change whose notification was lost shows by then. While the
database is away, what was good within the last five minutes still is.
"""

from functools import partial

import msgspec

from sitewright.edge import store
from sitewright.edge.lru import Lru
from sitewright.edge.questions import LONGEST_SECONDS, Questions
from sitewright.edge.store import Site
from sitewright.kit import clock
from sitewright.kit.db import Database
from sitewright.kit.problems import Unavailable

GOOD_SECONDS = 30.0
STALE_SECONDS = 300.0
PATIENCE_SECONDS = 1.0  # how long a visitor waits to learn whether what is remembered still holds
MOST_HOSTS = 50_000
MOST_UNKNOWN_HOSTS = 20_000
MOST_TOLD = 100_000
LONG_AGO = float("-inf")


class Known(msgspec.Struct, gc=False):
    site: Site | None
    asked_at: float
    """When the look-up began: what changed since may not be in it. Long ago, once it is forgotten."""


class Sites:
    def __init__(self, database: Database, questions: Questions) -> None:
        self._database = database
        self._questions = questions
        self._sites: Lru[str, Known] = Lru(MOST_HOSTS, self._forget_host)
        self._unknown: Lru[str, Known] = Lru(MOST_UNKNOWN_HOSTS)
        self._hosts: dict[int, set[str]] = {}
        self._good_from = 0.0
        self._told: dict[int | str, float] = {}
        """What changed while look-ups are under way, and when it was told."""

    def __len__(self) -> int:
        return len(self._sites) + len(self._unknown)

    def known(self, host: str) -> Known | None:
        """What is remembered of a host that has a site."""
        return self._sites.get(host)

    def is_good(self, known: Known) -> bool:
        return known.asked_at >= self._good_from and clock.stopwatch() - known.asked_at < GOOD_SECONDS

    async def find(self, host: str) -> Site | None:
        """None: no site has this host. Raises `Unavailable` when that cannot be told."""
        known = self._sites.get(host) or self._unknown.get(host)
        if known is not None and self.is_good(known):
            return known.site
        patience = LONGEST_SECONDS if known is None else PATIENCE_SECONDS
        try:
            return (await self._questions.ask(host, partial(self._look_up, host), patience)).site
        except Unavailable:
            known = self._sites.get(host) or self._unknown.get(host)  # it may have changed meanwhile
            if known is None or clock.stopwatch() - known.asked_at > STALE_SECONDS:
                raise
            return known.site

    async def _look_up(self, host: str) -> Known:
        while True:
            asked_at = clock.stopwatch()
            async with self._database.connection() as connection:
                known = Known(await store.site_of_host(connection, host), asked_at)
            if not self._was_told_of(host, known):
                self._remember(host, known)
                return known

    def _was_told_of(self, host: str, known: Known) -> bool:
        """Whether what was read may have changed in between."""
        told = self._told.get(host, 0.0)
        if known.site is not None:
            told = max(told, self._told.get(known.site.site_ref, 0.0))
        return max(told, self._good_from) > known.asked_at

    def _remember(self, host: str, known: Known) -> None:
        self._sites.drop(host)
        self._unknown.drop(host)
        if known.site is None:
            self._unknown.put(host, known)
        else:
            self._sites.put(host, known)
            self._hosts.setdefault(known.site.site_ref, set()).add(host)

    def _forget_host(self, host: str, known: Known) -> None:
        known.asked_at = LONG_AGO
        if known.site is not None:
            hosts = self._hosts[known.site.site_ref]
            hosts.discard(host)
            if not hosts:
                del self._hosts[known.site.site_ref]

    def tell(self, text: str) -> None:
        """A notification: the ref of a site that looks different now, and the host that was mapped or unmapped."""
        ref, _, host = text.partition(" ")
        if not ref.isdecimal():
            return
        for each in tuple(self._hosts.get(int(ref), ())):
            self._sites.drop(each)
        self._note(int(ref))
        if host:
            self.forget(host)
            self._note(host)

    def forget(self, host: str) -> None:
        self._sites.drop(host)
        self._unknown.drop(host)

    def doubt_all(self) -> None:
        """Nothing is good any more until it is asked for again: notifications may have been missed."""
        self._good_from = clock.stopwatch()

    def _note(self, changed: int | str) -> None:
        """For look-ups under way, and for them alone."""
        if not self._questions.are_open:
            self._told.clear()
            return
        self._told[changed] = clock.stopwatch()
        if len(self._told) > MOST_TOLD:
            self._told.clear()
            self.doubt_all()
