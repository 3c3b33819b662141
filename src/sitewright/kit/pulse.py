"""What a part of the service reports to its supervisor, in memory that both share: that it is ready, that it works."""

import asyncio
import mmap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

INTERVAL_SECONDS = 1.0
SIZE = 9
_BEATS, _READY = slice(0, 8), 8


class Pulse:
    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, SIZE)  # shared with processes that are forked later

    @property
    def beats(self) -> int:
        return int.from_bytes(self._memory[_BEATS], "little")

    @property
    def is_ready(self) -> bool:
        return bool(self._memory[_READY])

    def report_ready(self) -> None:
        self._memory[_READY] = 1

    def beat(self) -> None:
        self._memory[_BEATS] = (self.beats + 1).to_bytes(8, "little")

    def reset(self) -> None:
        self._memory[:] = bytes(SIZE)

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Beat once a second while the event loop runs."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()

    async def _run(self) -> None:
        while True:
            self.beat()
            await asyncio.sleep(INTERVAL_SECONDS)
