"""Polls until a condition holds, and fails where it never does, instead of sleeping for a guessed time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.timeouts import HANG_SECONDS


async def eventually(holds: Callable[[], Any | Awaitable[Any]], *, within: float = HANG_SECONDS) -> Any:
    deadline = time.monotonic() + within
    while True:
        outcome = holds()
        if isinstance(outcome, Awaitable):
            outcome = await outcome
        if outcome:
            return outcome
        assert time.monotonic() < deadline, f"did not hold within {within} s"
        await asyncio.sleep(0.05)
