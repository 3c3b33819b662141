"""A least-recently-used cache with a capacity by weight."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Lru(Generic[K, V]):
    """Holds values up to a total weight, and evicts the least recently used ones."""

    def __init__(self, capacity: int, on_evict: Callable[[K, V], None] | None = None) -> None:
        self.capacity = capacity
        self.weight = 0
        self._on_evict = on_evict
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys, least recently used first."""
        return iter(self._entries)

    def peek(self, key: K) -> V | None:
        """Like `get`, without marking the value as recently used."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        """Add a value, unless it alone takes more than an eighth of the capacity."""
        self.evict(key)
        if weight * 8 > self.capacity:
            return
        self._entries[key] = (value, weight)
        self.weight += weight
        while self.weight > self.capacity:
            self.evict(next(iter(self._entries)))

    def evict(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.weight -= entry[1]
            if self._on_evict is not None:
                self._on_evict(key, entry[0])
