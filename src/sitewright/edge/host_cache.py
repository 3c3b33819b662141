"""A bounded LRU cache of database look-ups by host name (site, certificate), including negative results.

Negative results have an LRU of their own, so that random names cannot evict real ones. Notifications invalidate
single hosts or groups of them (all hosts of a site, all names below a parent) through an index, so the cost of one
does not grow with the cache. An entry is fresh for 30 seconds, which bounds the effect of a lost notification.
"""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

import msgspec

from sitewright.edge.lru import Lru
from sitewright.edge.single_flight import SingleFlight
from sitewright.kit import clock

FRESH_SECONDS = 30.0
MAX_HOSTS = 50_000
MAX_UNKNOWN_HOSTS = 20_000
MAX_CHANGES = 100_000
EXPIRED = float("-inf")
V = TypeVar("V")


class Entry(msgspec.Struct, Generic[V], gc=False):
    value: V | None
    read_at: float
    """When the look-up began: later changes may be missing. `EXPIRED` once the entry was evicted or invalidated."""


class HostCache(Generic[V]):
    def __init__(
        self,
        lookups: SingleFlight,
        kind: str,
        fetch: Callable[[str], Awaitable[V | None]],
        group_of: Callable[[str, V | None], Hashable | None],
    ) -> None:
        """`kind` distinguishes the look-ups of this cache; `group_of` returns a second invalidation key of an entry."""
        self._lookups = lookups
        self._kind = kind
        self._fetch = fetch
        self._group_of = group_of
        self._known: Lru[str, Entry[V]] = Lru(MAX_HOSTS, self._on_evict)
        self._unknown: Lru[str, Entry[V]] = Lru(MAX_UNKNOWN_HOSTS, self._on_evict)
        self._groups: dict[Hashable, set[str]] = {}
        self._fresh_from = 0.0
        self._changes: dict[Hashable, float] = {}
        """Changes during running look-ups, with their times: a result read before a change must not be cached."""

    def __len__(self) -> int:
        return len(self._known) + len(self._unknown)

    def get(self, host: str) -> Entry[V] | None:
        return self._known.get(host) or self._unknown.get(host)

    def known(self, host: str) -> Entry[V] | None:
        """Return the entry of a host that has a value."""
        return self._known.get(host)

    def peek(self, host: str) -> Entry[V] | None:
        """Like `get`, without marking the entry as recently used."""
        return self._known.peek(host) or self._unknown.peek(host)

    def is_fresh(self, entry: Entry[V]) -> bool:
        return entry.read_at >= self._fresh_from and clock.stopwatch() - entry.read_at < FRESH_SECONDS

    def known_hosts(self) -> tuple[str, ...]:
        return tuple(self._known)

    def hosts_in(self, group: Hashable) -> tuple[str, ...]:
        return tuple(self._groups.get(group, ()))

    async def look_up(self, host: str, max_wait: float) -> Entry[V]:
        """Look the host up in the database and cache the result. Raises `Unavailable` as `SingleFlight.run` does."""
        return await self._lookups.run((self._kind, host), partial(self._read, host), max_wait)

    async def _read(self, host: str) -> Entry[V]:
        while True:
            read_at = clock.stopwatch()
            value = await self._fetch(host)
            if self._last_change(host, value) <= read_at:
                entry = Entry(value, read_at)
                self.put(host, entry)
                return entry

    def _last_change(self, host: str, value: V | None) -> float:
        of_group = self._changes.get(self._group_of(host, value), 0.0)
        return max(self._changes.get(host, 0.0), of_group, self._fresh_from)

    def put(self, host: str, entry: Entry[V]) -> None:
        self.evict(host)
        (self._unknown if entry.value is None else self._known).put(host, entry)
        group = self._group_of(host, entry.value)
        if group is not None:
            self._groups.setdefault(group, set()).add(host)

    def evict(self, host: str) -> None:
        self._known.evict(host)
        self._unknown.evict(host)

    def _on_evict(self, host: str, entry: Entry[V]) -> None:
        entry.read_at = EXPIRED
        group = self._group_of(host, entry.value)
        hosts = self._groups.get(group)
        if hosts is not None:
            hosts.discard(host)
            if not hosts:
                del self._groups[group]

    def record_change(self, changed: Hashable) -> None:
        """Record a change of a host or a group, so that running look-ups read it again."""
        if not self._lookups.is_active:
            self._changes.clear()
            return
        self._changes[changed] = clock.stopwatch()
        if len(self._changes) > MAX_CHANGES:
            self.expire_all()

    def expire_all(self) -> None:
        """Mark every entry stale, since notifications may have been missed; each is revalidated on its next use."""
        self._changes.clear()
        self._fresh_from = clock.stopwatch()
