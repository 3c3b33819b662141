"""Polls until a condition holds, and fails after a timeout, instead of sleeping for a guessed time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any


async def eventually(holds: Callable[[], Any | Awaitable[Any]], *, within: float = 60.0) -> Any:
    deadline = time.monotonic() + within
    while True:
        outcome = holds()
        if isinstance(outcome, Awaitable):
            outcome = await outcome
        if outcome:
            return outcome
        assert time.monotonic() < deadline, f"did not hold within {within} s"
        await asyncio.sleep(0.05)
