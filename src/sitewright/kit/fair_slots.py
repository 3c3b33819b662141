"""A semaphore for slow work, shared fairly by tenants."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sitewright.kit.fair_queue import FairQueue, Tenant
from sitewright.kit.problems import Unavailable


class FairSlots:
    """One tenant may use all slots but one; waiting tenants are served round-robin."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._share = max(1, slots - 1)
        self._held: dict[Tenant, int] = {}
        self._waiting: FairQueue[asyncio.Future[None]] = FairQueue()

    @asynccontextmanager
    async def slot(self, tenant: Tenant, wait_seconds: float) -> AsyncIterator[None]:
        """Raises `Unavailable` after the timeout."""
        await self._acquire(tenant, wait_seconds)
        try:
            yield
        finally:
            self._release(tenant)

    def _has_room(self, tenant: Tenant) -> bool:
        return self._held.get(tenant, 0) < self._share

    async def _acquire(self, tenant: Tenant, wait_seconds: float) -> None:
        if self._free and self._has_room(tenant):
            self._grant(tenant)
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.push(tenant, waiter)
        try:
            async with asyncio.timeout(wait_seconds):
                await waiter
        except BaseException as error:
            if waiter.done() and not waiter.cancelled():  # the slot was granted at the moment of the timeout
                self._release(tenant)
            else:
                self._waiting.discard(tenant, waiter)
            if isinstance(error, TimeoutError):
                raise Unavailable("Too much of this work waits already. Repeat the request later.") from None
            raise

    def _grant(self, tenant: Tenant) -> None:
        self._free -= 1
        self._held[tenant] = self._held.get(tenant, 0) + 1

    def _release(self, tenant: Tenant) -> None:
        self._free += 1
        self._held[tenant] -= 1
        if not self._held[tenant]:
            del self._held[tenant]
        while self._free and (served := self._waiting.pop(self._has_room)) is not None:
            next_tenant, waiter = served
            if not waiter.done():
                self._grant(next_tenant)
                waiter.set_result(None)
