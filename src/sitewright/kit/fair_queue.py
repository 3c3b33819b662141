"""A queue that serves tenants round-robin, so that a tenant with many waiters does not delay the others."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T", bound=Hashable)
Tenant: TypeAlias = int | None
"""A brand's ref; None for work that belongs to no brand, or to none yet."""


class FairQueue(Generic[T]):
    """First in, first out for each tenant; between tenants, whoever was served last goes to the end of the line."""

    def __init__(self) -> None:
        self._queues: dict[Tenant, OrderedDict[T, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._queues)

    def count(self, tenant: Tenant) -> int:
        return len(self._queues.get(tenant, ()))

    def push(self, tenant: Tenant, item: T) -> None:
        self._queues.setdefault(tenant, OrderedDict())[item] = None

    def pop(self, may_have: Callable[[Tenant], bool]) -> tuple[Tenant, T] | None:
        """The next item of the first tenant in line that `may_have` one; None where there is no such tenant."""
        for tenant in self._queues:
            if may_have(tenant):
                queue = self._queues.pop(tenant)
                item, _ = queue.popitem(last=False)
                if queue:
                    self._queues[tenant] = queue
                return tenant, item
        return None

    def discard(self, tenant: Tenant, item: T) -> None:
        """For a waiter that gives up: nothing of it stays behind."""
        queue = self._queues.get(tenant)
        if queue is not None:
            queue.pop(item, None)
            if not queue:
                del self._queues[tenant]
