"""Parses large signed forms off the event loop, with a bounded queue: unauthenticated clients may send them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from sitewright.kit.auth import oauth1
from sitewright.kit.auth.login_queue import LogInQueue, LogInQueueFull
from sitewright.kit.problems import Unavailable

LARGE_FORM = 64 * 1024
"""Larger signed forms are parsed in one dedicated thread.

Parsing holds the interpreter lock, so more threads would slow all other requests without finishing sooner.
"""
QUEUE_SIZE = 8


class LargeForms:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-forms")
        self._queue = LogInQueue(QUEUE_SIZE)

    async def read_claim(self, parts: oauth1.SignedParts, address: str) -> oauth1.Claim:
        """Raises `Unavailable` at once if the queue is full; one address may use half of it."""
        try:
            with self._queue.admit(address):
                return await asyncio.get_running_loop().run_in_executor(self._thread, oauth1.read_claim, parts)
        except LogInQueueFull:
            raise Unavailable("Too many large forms wait to be read. Repeat the request, or send JSON.") from None
