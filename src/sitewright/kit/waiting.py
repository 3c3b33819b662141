"""Waiting for an event with a timeout."""

import asyncio
from contextlib import suppress


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set or the timeout expires.

    Not `asyncio.wait_for`: up to Python 3.11 it swallows a cancellation that coincides with the event, so that a
    cancelled task would run forever.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
