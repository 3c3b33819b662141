"""Waiting for something that may not happen."""

import asyncio
from contextlib import suppress


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Until the event is set, or the time is up.

    Not `asyncio.wait_for`: up to Python 3.11 it swallows a cancellation that comes with the event, and whoever was told
    to end then goes on for ever.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
