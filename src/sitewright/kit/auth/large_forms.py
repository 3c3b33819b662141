"""Signed forms that are too large to be read on the event loop, bounded in number: anyone may send them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from sitewright.kit.auth import oauth1
from sitewright.kit.auth.login_queue import LogInQueue, LogInQueueFull
from sitewright.kit.problems import Unavailable

LARGE_FORM = 64 * 1024
"""Bytes from which on the fields of a signed form are collected off the event loop, in one thread of their own.

Collecting holds the interpreter's lock, so several threads would slow all other calls, and finish no sooner.
"""
PLACES = 8


class LargeForms:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-forms")
        self._places = LogInQueue(PLACES)

    async def read_claim(self, parts: oauth1.SignedParts, address: str) -> oauth1.Claim:
        """Raises `Unavailable` at once when too many wait; one address has half of the places at most."""
        try:
            with self._places.admit(address):
                return await asyncio.get_running_loop().run_in_executor(self._thread, oauth1.read_claim, parts)
        except LogInQueueFull:
            raise Unavailable("Too many large forms wait to be read. Repeat the request, or send JSON.") from None
