"""A queue that serves tenants round-robin, so that a tenant with many waiters does not delay the others."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T", bound=Hashable)
V = TypeVar("V")
Tenant: TypeAlias = int | None
"""A brand's ref; None for work that belongs to no brand, or to none yet."""


class FairQueue(Generic[T]):
    """First in, first out within a tenant; a tenant that was served goes to the end of the queue of tenants."""

    def __init__(self) -> None:
        self._queues: dict[Tenant, OrderedDict[T, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._queues)

    def count(self, tenant: Tenant) -> int:
        return len(self._queues.get(tenant, ()))

    def push(self, tenant: Tenant, item: T) -> None:
        self._queues.setdefault(tenant, OrderedDict())[item] = None

    def pop(self, may_have: Callable[[Tenant], bool]) -> tuple[Tenant, T] | None:
        """The next item of the first tenant that `may_have` one; None if there is none."""
        for tenant in self._queues:
            if may_have(tenant):
                queue = self._queues.pop(tenant)
                item, _ = queue.popitem(last=False)
                if queue:
                    self._queues[tenant] = queue
                return tenant, item
        return None

    def discard(self, tenant: Tenant, item: T) -> None:
        """Remove an item, for a waiter that timed out."""
        queue = self._queues.get(tenant)
        if queue is not None:
            queue.pop(item, None)
            if not queue:
                del self._queues[tenant]


class Waiters(Generic[V]):
    """Callers that wait until something limited is handed over to them: a slot, a thread, a connection."""

    def __init__(self) -> None:
        self._queue: FairQueue[asyncio.Future[V]] = FairQueue()

    def count(self, tenant: Tenant) -> int:
        return self._queue.count(tenant)

    async def wait(self, tenant: Tenant, seconds: float | None, give_back: Callable[[V], None]) -> V:
        """Wait until `hand_over`; `TimeoutError` after so many seconds. What is handed over at the very moment when the
        caller stops waiting is given back."""
        waiter: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._queue.push(tenant, waiter)
        try:
            async with asyncio.timeout(seconds):
                return await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled():
                give_back(waiter.result())
            else:
                self._queue.discard(tenant, waiter)
            raise

    def hand_over(self, value: V, may_have: Callable[[Tenant], bool], grant: Callable[[Tenant], None]) -> bool:
        """Hand the value to the next caller whose tenant `may_have` it, and call `grant` to count it. Returns False if
        nobody may have it."""
        while self._queue and (served := self._queue.pop(may_have)) is not None:
            tenant, waiter = served
            if not waiter.done():
                grant(tenant)
                waiter.set_result(value)
                return True
        return False
