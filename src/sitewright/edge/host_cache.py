"""A bounded cache of what the database knows of each host name: its site, its certificate, or that it has none.

Hosts without anything are cached apart, so that random names cannot evict real ones (LRU each). Notifications
invalidate single hosts or a whole group of them (all hosts of a site, all names below a parent) through an index, so
the cost of one does not grow with the cache. An entry is fresh for 30 seconds, so that what a lost notification
would have told is known by then.
"""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

import msgspec

from sitewright.edge.lru import Lru
from sitewright.edge.questions import Questions
from sitewright.kit import clock

FRESH_SECONDS = 30.0
MAX_HOSTS = 50_000
MAX_UNKNOWN_HOSTS = 20_000
MAX_CHANGES = 100_000
EXPIRED = float("-inf")
V = TypeVar("V")


class Entry(msgspec.Struct, Generic[V], gc=False):
    value: V | None
    asked_at: float
    """When the look-up began: later changes may be missing from it. `EXPIRED` once it was evicted or invalidated."""


class HostCache(Generic[V]):
    def __init__(
        self,
        questions: Questions,
        kind: str,
        load: Callable[[str], Awaitable[V | None]],
        group_of: Callable[[str, V | None], Hashable | None],
    ) -> None:
        """`kind` names the look-ups of this cache; `group_of` says what else than the host invalidates an entry."""
        self._questions = questions
        self._kind = kind
        self._load = load
        self._group_of = group_of
        self._known: Lru[str, Entry[V]] = Lru(MAX_HOSTS, self._evicted)
        self._unknown: Lru[str, Entry[V]] = Lru(MAX_UNKNOWN_HOSTS, self._evicted)
        self._groups: dict[Hashable, set[str]] = {}
        self._fresh_from = 0.0
        self._changes: dict[Hashable, float] = {}
        """What changed while look-ups are under way, and when: they must not cache what they read before."""

    def __len__(self) -> int:
        return len(self._known) + len(self._unknown)

    def get(self, host: str) -> Entry[V] | None:
        return self._known.get(host) or self._unknown.get(host)

    def known(self, host: str) -> Entry[V] | None:
        """The entry of a host that has a value."""
        return self._known.get(host)

    def peek(self, host: str) -> Entry[V] | None:
        """Like `get`, but it does not count as use."""
        return self._known.peek(host) or self._unknown.peek(host)

    def is_fresh(self, entry: Entry[V]) -> bool:
        return entry.asked_at >= self._fresh_from and clock.stopwatch() - entry.asked_at < FRESH_SECONDS

    def known_hosts(self) -> tuple[str, ...]:
        return tuple(self._known)

    def hosts_in(self, group: Hashable) -> tuple[str, ...]:
        return tuple(self._groups.get(group, ()))

    async def ask(self, host: str, patience: float) -> Entry[V]:
        """Ask the database and cache the answer. Raises `Unavailable` as `Questions.ask` does."""
        return await self._questions.ask((self._kind, host), partial(self._look_up, host), patience)

    async def _look_up(self, host: str) -> Entry[V]:
        while True:
            asked_at = clock.stopwatch()
            value = await self._load(host)
            if self._last_change(host, value) <= asked_at:
                entry = Entry(value, asked_at)
                self.put(host, entry)
                return entry

    def _last_change(self, host: str, value: V | None) -> float:
        of_group = self._changes.get(self._group_of(host, value), 0.0)
        return max(self._changes.get(host, 0.0), of_group, self._fresh_from)

    def put(self, host: str, entry: Entry[V]) -> None:
        self.drop(host)
        (self._unknown if entry.value is None else self._known).put(host, entry)
        group = self._group_of(host, entry.value)
        if group is not None:
            self._groups.setdefault(group, set()).add(host)

    def drop(self, host: str) -> None:
        self._known.drop(host)
        self._unknown.drop(host)

    def _evicted(self, host: str, entry: Entry[V]) -> None:
        entry.asked_at = EXPIRED
        group = self._group_of(host, entry.value)
        hosts = self._groups.get(group)
        if hosts is not None:
            hosts.discard(host)
            if not hosts:
                del self._groups[group]

    def note_change(self, changed: Hashable) -> None:
        """Of a host or a group: look-ups that are under way read it again."""
        if not self._questions.are_open:
            self._changes.clear()
            return
        self._changes[changed] = clock.stopwatch()
        if len(self._changes) > MAX_CHANGES:
            self.expire_all()

    def expire_all(self) -> None:
        """Nothing is fresh any more until it is asked for again: notifications may have been missed."""
        self._changes.clear()
        self._fresh_from = clock.stopwatch()
