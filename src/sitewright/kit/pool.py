"""A pool of database connections, as small as it can be, of which no tenant can hold all.

asyncpg's own pool gives a connection back in a task of its own, behind a proxy and with two timers; measured here, that
is 50 us of a request of 500 (decision 0012). This one hands connections over without awaiting anything.

A tenant holds at most its share, and whoever waits is served round-robin by tenant (decision 0040). Connections
taken before the tenant is known, for authentication, count towards none.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

import asyncpg

from sitewright.kit.fair_queue import FairQueue, Tenant

if TYPE_CHECKING:
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]
else:  # at run time asyncpg's class takes no parameters
    Connection = asyncpg.Connection


class Pool:
    """At most `size` connections, of which one tenant holds three quarters at most; tiny pools are not divided."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int) -> None:
        self._connect = connect
        self._size = size
        self._share = size - size // 4
        self._open = 0
        self._idle: list[Connection] = []
        self._held: dict[int, int] = {}
        self._waiting: FairQueue[asyncio.Future[Connection | None]] = FairQueue()

    @property
    def idle(self) -> int:
        return len(self._idle)

    @property
    def busy(self) -> int:
        return self._open - len(self._idle)

    def has_room(self, tenant: Tenant) -> bool:
        """Whether the tenant holds less than its share."""
        return tenant is None or self._held.get(tenant, 0) < self._share

    async def acquire(self, wait_seconds: float, tenant: Tenant = None) -> Connection:
        """Counts towards the tenant until it is released, or charged to another."""
        if self.has_room(tenant):
            while self._idle:
                connection = self._idle.pop()  # the one used last is the warmest
                if not connection.is_closed():
                    self._count(tenant, 1)
                    return connection
                self._open -= 1
            if self._open < self._size:
                self._open += 1
                self._count(tenant, 1)
                return await self._fill_room(tenant)
        handed_over = await self._wait(wait_seconds, tenant)
        return handed_over if handed_over is not None else await self._fill_room(tenant)

    def release(self, connection: Connection, tenant: Tenant = None) -> None:
        self._count(tenant, -1)
        if connection.is_closed():
            self._leave_room()
        elif not self._hand_over(connection):
            self._idle.append(connection)

    def charge(self, tenant: Tenant, instead_of: Tenant) -> None:
        """A connection that is held already counts towards `tenant` from now on, even beyond its share."""
        self._count(tenant, 1)
        if instead_of is not None:
            self._count(instead_of, -1)
            self._serve_idle()

    async def close(self) -> None:
        for connection in self._idle:
            await connection.close(timeout=5)
        self._open -= len(self._idle)
        self._idle.clear()

    def _count(self, tenant: Tenant, change: int) -> None:
        if tenant is not None:
            held = self._held.get(tenant, 0) + change
            if held:
                self._held[tenant] = held
            else:
                del self._held[tenant]

    async def _fill_room(self, tenant: Tenant) -> Connection:
        """Open a connection in room that is counted already."""
        try:
            return await self._connect()
        except BaseException:
            self._count(tenant, -1)
            self._leave_room()
            raise

    def _leave_room(self) -> None:
        """Room goes to whoever waits first, and stays counted on the way; a newcomer cannot take it in between."""
        if not self._hand_over(None):
            self._open -= 1

    def _serve_idle(self) -> None:
        """To those who waited only because their tenant held its share."""
        while self._idle:
            connection = None if self._idle[-1].is_closed() else self._idle[-1]  # None: room to open another
            if not self._hand_over(connection):
                return
            self._idle.pop()

    async def _wait(self, seconds: float, tenant: Tenant) -> Connection | None:
        """A connection, or None for the room to open one; either counts towards the tenant already."""
        place: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.push(tenant, place)
        try:
            async with asyncio.timeout(seconds):
                return await place
        except BaseException:
            if place.done() and not place.cancelled():  # it came in the same moment in which we gave up
                self._give_on(place.result(), tenant)
            else:
                self._waiting.discard(tenant, place)
            raise

    def _give_on(self, handed_over: Connection | None, tenant: Tenant) -> None:
        if handed_over is None:
            self._count(tenant, -1)
            self._leave_room()
        else:
            self.release(handed_over, tenant)

    def _hand_over(self, connection: Connection | None) -> bool:
        while self._waiting:
            served = self._waiting.pop(self.has_room)
            if served is None:
                return False
            tenant, place = served
            if not place.done():
                self._count(tenant, 1)
                place.set_result(connection)
                return True
        return False
