"""A semaphore for slow work, shared fairly by tenants."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sitewright.kit.fair_queue import Tenant, Waiters
from sitewright.kit.problems import Unavailable


class FairSlots:
    """One tenant may use all slots but one; waiting tenants are served round-robin."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._share = max(1, slots - 1)
        self._held: dict[Tenant, int] = {}
        self._waiters: Waiters[None] = Waiters()

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
        try:
            await self._waiters.wait(tenant, wait_seconds, lambda _: self._release(tenant))
        except TimeoutError:
            raise Unavailable("Too much of this work waits already. Repeat the request later.") from None

    def _grant(self, tenant: Tenant) -> None:
        self._free -= 1
        self._held[tenant] = self._held.get(tenant, 0) + 1

    def _release(self, tenant: Tenant) -> None:
        self._free += 1
        self._held[tenant] -= 1
        if not self._held[tenant]:
            del self._held[tenant]
        while self._free and self._waiters.hand_over(None, self._has_room, self._grant):
            pass
