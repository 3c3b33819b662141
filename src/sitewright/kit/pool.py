"""A minimal connection pool with a limit per tenant.

asyncpg's own pool releases a connection in a separate task, behind a proxy and with two timers, which costs 50 of a
request's 500 us (decision 0012). This one hands connections over without awaiting.

A tenant uses at most its share, and waiting requests are served round-robin by tenant (decision 0040). Connections
acquired before the tenant is known, for authentication, count towards no tenant.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

import asyncpg

from sitewright.kit.fair_queue import Tenant, Waiters

if TYPE_CHECKING:
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]
else:  # at run time asyncpg's class takes no parameters
    Connection = asyncpg.Connection

CLOSE_SECONDS = 5


class Pool:
    """At most `size` connections, of which one tenant may use three quarters; very small pools are not divided."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int) -> None:
        self._connect = connect
        self._size = size
        self._share = size - size // 4
        self._open = 0
        self._idle: list[Connection] = []
        self._unused = 0
        """The connections at the beginning of `_idle` that were not needed since `close_unused`."""
        self._held: dict[int, int] = {}
        self._waiters: Waiters[Connection | None] = Waiters()
        """For a connection, or None for a slot to open one; either is counted towards the tenant when handed over."""

    @property
    def idle(self) -> int:
        return len(self._idle)

    @property
    def size(self) -> int:
        return self._size

    @property
    def busy(self) -> int:
        return self._open - len(self._idle)

    def has_room(self, tenant: Tenant) -> bool:
        """Whether the tenant uses less than its share."""
        return tenant is None or self._held.get(tenant, 0) < self._share

    async def acquire(self, wait_seconds: float, tenant: Tenant = None) -> Connection:
        """A connection, which counts towards the tenant until it is released, or charged to another."""
        if self.has_room(tenant):
            while self._idle:
                connection = self._pop_idle()
                if not connection.is_closed():
                    self._count(tenant, 1)
                    return connection
                self._open -= 1
            if self._open < self._size:
                self._open += 1
                self._count(tenant, 1)
                return await self._open_reserved(tenant)
        handed_over = await self._waiters.wait(tenant, wait_seconds, lambda given: self._pass_on(given, tenant))
        return handed_over if handed_over is not None else await self._open_reserved(tenant)

    def release(self, connection: Connection, tenant: Tenant = None) -> None:
        self._count(tenant, -1)
        if connection.is_closed():
            self._free_slot()
        elif not self._hand_over(connection):
            self._idle.append(connection)

    def charge(self, tenant: Tenant, instead_of: Tenant) -> None:
        """An acquired connection counts towards `tenant` from now on, even beyond its share."""
        self._count(tenant, 1)
        if instead_of is not None:
            self._count(instead_of, -1)
            self._serve_idle()

    async def close_unused(self) -> None:
        """Close the idle connections that were not needed since the last call, except for one.

        Each one is a process of the server with its own memory; a burst of work leaves many behind.
        """
        while self._unused > 1:
            self._unused -= 1
            await self._close_idle(self._idle.pop(0))
        self._unused = len(self._idle)

    async def _close_idle(self, connection: Connection) -> None:
        try:
            await connection.close(timeout=CLOSE_SECONDS)
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):  # it was broken already
            connection.terminate()
        finally:
            self._free_slot()

    async def close(self) -> None:
        for connection in self._idle:
            await connection.close(timeout=CLOSE_SECONDS)
        self._open -= len(self._idle)
        self._idle.clear()

    def _count(self, tenant: Tenant, change: int) -> None:
        if tenant is not None:
            held = self._held.get(tenant, 0) + change
            if held:
                self._held[tenant] = held
            else:
                del self._held[tenant]

    async def _open_reserved(self, tenant: Tenant) -> Connection:
        """Open a connection in a slot that is already counted in `_open`."""
        try:
            return await self._connect()
        except BaseException:
            self._count(tenant, -1)
            self._free_slot()
            raise

    def _free_slot(self) -> None:
        """Hand the slot to the first waiter, still counted, so that a newcomer cannot take it in between."""
        if not self._hand_over(None):
            self._open -= 1

    def _serve_idle(self) -> None:
        """Hand idle connections to waiters that were only blocked by their tenant's share."""
        while self._idle:
            connection = None if self._idle[-1].is_closed() else self._idle[-1]  # None: a slot to open another
            if not self._hand_over(connection):
                return
            self._pop_idle()

    def _pop_idle(self) -> Connection:
        """The most recently used one: its server-side caches are warm. Those at the beginning may become unused."""
        connection = self._idle.pop()
        self._unused = min(self._unused, len(self._idle))
        return connection

    def _pass_on(self, handed_over: Connection | None, tenant: Tenant) -> None:
        if handed_over is None:
            self._count(tenant, -1)
            self._free_slot()
        else:
            self.release(handed_over, tenant)

    def _hand_over(self, connection: Connection | None) -> bool:
        return self._waiters.hand_over(connection, self.has_room, self._grant)

    def _grant(self, tenant: Tenant) -> None:
        self._count(tenant, 1)
