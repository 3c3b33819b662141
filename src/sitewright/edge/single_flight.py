"""Single-flight look-ups: concurrent requests for the same key share one database query, with a circuit breaker."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

from sitewright.kit import clock
from sitewright.kit.problems import Busy, Unavailable

BACKOFF_SECONDS = 1.0
MAX_WAIT_SECONDS = 10.0
T = TypeVar("T")


class SingleFlight:
    def __init__(self) -> None:
        self._running: dict[Hashable, tuple[asyncio.Task[Any], float]] = {}
        self._unavailable_until = 0.0

    @property
    def is_active(self) -> bool:
        """Whether any look-up is running."""
        return bool(self._running)

    async def run(self, key: Hashable, lookup: Callable[[], Awaitable[T]], max_wait: float = MAX_WAIT_SECONDS) -> T:
        """Run the look-up, or join the one that is running for the same key.

        Raises `Busy` on a limit or after `max_wait` seconds; the look-up then continues for later callers. Raises
        `Unavailable` when the database is down, and for the back-off time after that without trying (circuit breaker).
        """
        now = clock.stopwatch()
        if now < self._unavailable_until:
            raise Unavailable
        if key not in self._running:
            self._running[key] = (asyncio.create_task(self._run(key, lookup)), now)
        task, started_at = self._running[key]
        await asyncio.wait((task,), timeout=max(0.0, started_at + max_wait - now))
        if not task.done():
            raise Busy
        outcome = task.result()
        if not isinstance(outcome, tuple):
            raise outcome
        (result,) = outcome
        return result  # type: ignore[no-any-return]  # of the same lookup

    async def _run(self, key: Hashable, lookup: Callable[[], Awaitable[T]]) -> tuple[T] | type[Unavailable]:
        """Return a 1-tuple, or an exception class: a raised instance would be shared by all waiting callers."""
        try:
            return (await lookup(),)
        except Busy:
            return Busy
        except Unavailable:
            self._unavailable_until = clock.stopwatch() + BACKOFF_SECONDS
            return Unavailable
        finally:
            del self._running[key]
