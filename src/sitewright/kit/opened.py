"""What features open once per process, such as a client with its connections; closed when the process ends."""

from collections.abc import Callable
from typing import Protocol, TypeVar


class Closable(Protocol):
    async def close(self) -> None: ...


T = TypeVar("T", bound=Closable)


class Opened:
    def __init__(self) -> None:
        self._opened: dict[type[Closable], Closable] = {}

    def get(self, kind: type[T], new: Callable[[], T]) -> T:
        """Return the one of this kind; the first call creates it."""
        found = self._opened.get(kind)
        if not isinstance(found, kind):
            found = self._opened[kind] = new()
        return found

    async def close(self) -> None:
        while self._opened:
            await self._opened.popitem()[1].close()
