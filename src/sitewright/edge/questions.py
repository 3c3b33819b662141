"""Questions to the database: one at a time for each key, however many visitors wait for the answer."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

from sitewright.kit import clock
from sitewright.kit.problems import Busy, Unavailable

LEAVE_ALONE_SECONDS = 1.0
LONGEST_SECONDS = 10.0
T = TypeVar("T")


class Questions:
    def __init__(self) -> None:
        self._asked: dict[Hashable, tuple[asyncio.Task[Any], float]] = {}
        self._away_until = 0.0

    @property
    def are_open(self) -> bool:
        """Whether any answer is still to come."""
        return bool(self._asked)

    async def ask(self, key: Hashable, question: Callable[[], Awaitable[T]], patience: float = LONGEST_SECONDS) -> T:
        """Raises `Unavailable` while the database is away, and `Busy` when this question met a limit or its answer
        takes longer than `patience`; it is then still waited for, for whoever asks later. A database that was away
        is left alone for a moment; a limit that one question met says nothing about the others."""
        now = clock.stopwatch()
        if now < self._away_until:
            raise Unavailable
        if key not in self._asked:
            self._asked[key] = (asyncio.create_task(self._answer(key, question)), now)
        task, asked_at = self._asked[key]
        await asyncio.wait((task,), timeout=max(0.0, asked_at + patience - now))
        if not task.done():
            raise Busy
        answer = task.result()
        if not isinstance(answer, tuple):
            raise answer
        (found,) = answer
        return found  # type: ignore[no-any-return]  # of the same question

    async def _answer(self, key: Hashable, question: Callable[[], Awaitable[T]]) -> tuple[T] | type[Unavailable]:
        """A class where there is no answer: an exception of the task would be one object, shared by many visitors."""
        try:
            return (await question(),)
        except Busy:
            return Busy
        except Unavailable:
            self._away_until = clock.stopwatch() + LEAVE_ALONE_SECONDS
            return Unavailable
        finally:
            del self._asked[key]
