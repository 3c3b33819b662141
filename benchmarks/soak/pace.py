"""How fast the clients of a soak work, all together."""

import asyncio
import time


class Pace:
    """Without a rate, nobody waits."""

    def __init__(self) -> None:
        self.requests = 0
        self._seconds_between = 0.0
        self._next_at = 0.0
        self._runs = asyncio.Event()
        self._runs.set()

    def pause(self) -> None:
        self._runs.clear()

    def set_rate(self, per_second: float) -> None:
        self._seconds_between, self._next_at = 1 / per_second, time.monotonic()
        self._runs.set()

    async def wait_for_turn(self, _request: object = None) -> None:
        """Turns are evenly spaced. One that comes late is not made up for: the service was too slow for it."""
        await self._runs.wait()
        now = time.monotonic()
        turn = max(self._next_at, now)
        self._next_at = turn + self._seconds_between
        self.requests += 1
        await asyncio.sleep(turn - now)
