"""Uploads take turns: many that arrive at once must not queue before all other requests of the process.

An upload has its turn while it is authenticated and while a part of its body is processed. It passes the turn on while
it waits for its client or a decoder, so that a slow client delays nobody. Meanwhile its connection is not read, and the
client waits.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 2


class UploadTurns:
    """Those of one process, first come, first served."""

    def __init__(self) -> None:
        self._semaphore = asyncio.Semaphore(AT_ONCE)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator["UploadTurn"]:
        turn = UploadTurn(self._semaphore)
        await turn.take()
        try:
            yield turn
        finally:
            turn.release()


class UploadTurn:
    def __init__(self, semaphore: asyncio.Semaphore) -> None:
        self._semaphore = semaphore
        self._is_held = False

    async def take(self) -> None:
        await self._semaphore.acquire()
        self._is_held = True

    def release(self) -> None:
        if self._is_held:
            self._is_held = False
            self._semaphore.release()

    @asynccontextmanager
    async def passed_on(self) -> AsyncIterator[None]:
        """While the upload waits. After an error it takes no other turn."""
        self.release()
        yield
        await self.take()
