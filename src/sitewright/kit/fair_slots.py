"""Slots for slow work, shared fairly by tenants."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sitewright.kit.fair_queue import FairQueue, Tenant
from sitewright.kit.problems import Unavailable


class FairSlots:
    """One tenant has all slots but one at most; tenants that wait are served round-robin."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._share = max(1, slots - 1)
        self._held: dict[Tenant, int] = {}
        self._waiting: FairQueue[asyncio.Future[None]] = FairQueue()

    @asynccontextmanager
    async def slot(self, tenant: Tenant, wait_seconds: float) -> AsyncIterator[None]:
        """Raises `Unavailable` if none is free in time."""
        await self._take(tenant, wait_seconds)
        try:
            yield
        finally:
            self._leave(tenant)

    def _has_room(self, tenant: Tenant) -> bool:
        return self._held.get(tenant, 0) < self._share

    async def _take(self, tenant: Tenant, wait_seconds: float) -> None:
        if self._free and self._has_room(tenant):
            self._give(tenant)
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.push(tenant, place)
        try:
            async with asyncio.timeout(wait_seconds):
                await place
        except BaseException as error:
            if place.done() and not place.cancelled():  # the slot came in the same moment
                self._leave(tenant)
            else:
                self._waiting.discard(tenant, place)
            if isinstance(error, TimeoutError):
                raise Unavailable("Too much of this work waits already. Repeat the request later.") from None
            raise

    def _give(self, tenant: Tenant) -> None:
        self._free -= 1
        self._held[tenant] = self._held.get(tenant, 0) + 1

    def _leave(self, tenant: Tenant) -> None:
        self._free += 1
        self._held[tenant] -= 1
        if not self._held[tenant]:
            del self._held[tenant]
        while self._free and (served := self._waiting.pop(self._has_room)) is not None:
            next_tenant, place = served
            if not place.done():
                self._give(next_tenant)
                place.set_result(None)
