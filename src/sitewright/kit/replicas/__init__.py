"""Reads from replicas of the database, never older than the changes of which this process was notified.

A replica is used only if it has replayed the primary's log up to the position of the last notification. Otherwise, and
while that position is being read, the primary is used (decision 0182).
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

from sitewright.kit import clock
from sitewright.kit.db import Database, Lease, Transaction, open_database
from sitewright.kit.problems import Busy, Unavailable
from sitewright.kit.replicas import store
from sitewright.kit.replicas.position import NotifiedPosition
from sitewright.settings import Settings

REPLICA_WAIT_SECONDS = 1.0
"""How long a look-up waits for a replica before it uses another server."""
PAUSE_SECONDS = 5.0
"""How long a replica is not used after a failure."""
T = TypeVar("T")
Query = Callable[[Transaction], Awaitable[T]]


class Behind(Exception):
    """The replica lacks changes of which this process was notified, or is no replica any more."""


class Replica:
    def __init__(self, database: Database) -> None:
        self.database = database
        self._paused_until = 0.0

    @property
    def is_usable(self) -> bool:
        return clock.stopwatch() >= self._paused_until

    def pause(self) -> None:
        self._paused_until = clock.stopwatch() + PAUSE_SECONDS

    async def read(self, brand_ref: int | None, query: Query[T], position: int) -> T:
        async with self.database.lease() as lease:
            connection = await lease.connection()
            try:
                async with asyncio.timeout(REPLICA_WAIT_SECONDS):
                    has_replayed = await store.has_replayed(connection, position)
            except TimeoutError:
                connection.terminate()
                raise Unavailable from None
            if not has_replayed:
                raise Behind
            return await _read(lease, brand_ref, query)


class ReadDatabase:
    """Queries that need no lock and change nothing, on a replica where one is recent enough."""

    def __init__(
        self, primary: Database, replicas: Sequence[Database] = (), count: Callable[[str], None] | None = None
    ) -> None:
        """`count` is called with the outcome of each attempt to use a replica."""
        self.position = NotifiedPosition(primary)
        self._primary = primary
        self._replicas = [Replica(each) for each in replicas]
        self._turn = os.getpid()  # processes begin with different replicas
        self._count = count or (lambda _outcome: None)

    @property
    def has_replicas(self) -> bool:
        return bool(self._replicas)

    async def read(self, brand_ref: int | None, query: Query[T]) -> T:
        """Run the query in a transaction of the brand, or without one if it is None."""
        found = await self._read_from_replica(brand_ref, query) if self._replicas else None
        return await self._read_from_primary(brand_ref, query) if found is None else found[0]

    async def find(self, brand_ref: int | None, query: Query[T]) -> T:
        """As `read`, for rows that never change: what a replica does not have is looked up in the primary."""
        found = await self._read_from_replica(brand_ref, query) if self._replicas else None
        return found[0] if found is not None and found[0] else await self._read_from_primary(brand_ref, query)

    async def close(self) -> None:
        for replica in self._replicas:
            await replica.database.close()

    async def _read_from_primary(self, brand_ref: int | None, query: Query[T]) -> T:
        async with self._primary.lease() as lease:
            return await _read(lease, brand_ref, query)

    async def _read_from_replica(self, brand_ref: int | None, query: Query[T]) -> tuple[T] | None:
        """A 1-tuple, or None if no replica can be used."""
        position = self.position.current
        if position is None:
            self._count("notified")
            return None
        self._turn += 1
        for number in range(len(self._replicas)):
            replica = self._replicas[(self._turn + number) % len(self._replicas)]
            if replica.is_usable:
                found = await self._try(replica, brand_ref, query, position)
                if found is not None:
                    return found
        return None

    async def _try(self, replica: Replica, brand_ref: int | None, query: Query[T], position: int) -> tuple[T] | None:
        try:
            found = await replica.read(brand_ref, query, position)
        except Behind:
            self._count("behind")
        except Busy:
            self._count("busy")
        except Unavailable:
            self._count("unavailable")
            replica.pause()
        else:
            self._count("read")
            return (found,)
        return None


async def _read(lease: Lease, brand_ref: int | None, query: Query[T]) -> T:
    if brand_ref is None:
        return await query(await lease.connection())
    async with lease.transaction(brand_ref) as tx:
        return await query(tx)


def open_replicas(settings: Settings, url: str, name: str) -> list[Database]:
    """A connection pool for each replica that the URL names; empty without a URL."""
    return [
        open_database(
            each,
            connections=settings.database_connections,
            wait_seconds=REPLICA_WAIT_SECONDS,
            name=f"{name} replica",
            own_role=settings.makes_login_role,
        )
        for each in replica_urls(url)
    ]


def replica_urls(url: str) -> list[str]:
    """One URL for each host of `postgresql://user:password@replica1,replica2:5433/database`."""
    if not url:
        return []
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    return [urlunsplit(parts._replace(netloc=f"{login}{at}{host}")) for host in hosts.split(",")]
