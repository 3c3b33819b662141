"""What was used last is kept, as far as the room goes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Lru(Generic[K, V]):
    """Holds values up to a total weight; whoever was not asked for longest makes room."""

    def __init__(self, room: int, when_dropped: Callable[[K, V], None] | None = None) -> None:
        self.room = room
        self.weight = 0
        self._when_dropped = when_dropped
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: K) -> V | None:
        held = self._held.get(key)
        if held is None:
            return None
        self._held.move_to_end(key)
        return held[0]

    def __iter__(self) -> Iterator[K]:
        """Whoever was not asked for longest first."""
        return iter(self._held)

    def peek(self, key: K) -> V | None:
        """Without that it counts as asked for."""
        held = self._held.get(key)
        return None if held is None else held[0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        """What alone would take more than an eighth of the room is not kept."""
        self.drop(key)
        if weight * 8 > self.room:
            return
        self._held[key] = (value, weight)
        self.weight += weight
        while self.weight > self.room:
            self.drop(next(iter(self._held)))

    def drop(self, key: K) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            self.weight -= held[1]
            if self._when_dropped is not None:
                self._when_dropped(key, held[0])
