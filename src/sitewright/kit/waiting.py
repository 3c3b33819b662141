"""Waiting for an event with a timeout, and times to wait."""

import asyncio
import random
from contextlib import suppress

JITTER = 0.2


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set or the timeout expires.

    Not `asyncio.wait_for`: up to Python 3.11 it swallows a cancellation that coincides with the event, so that a
    cancelled task would run forever.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def with_jitter(seconds: float) -> float:
    """A different time each time, the same on average: loops that start together do not use the database together."""
    return seconds * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret
