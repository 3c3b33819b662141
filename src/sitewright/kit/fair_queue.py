"""A queue that serves tenants round-robin, so that a tenant with many waiters does not delay the others."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T", bound=Hashable)
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
