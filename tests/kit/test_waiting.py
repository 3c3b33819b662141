"""Waiting for an event with a timeout."""

import asyncio

import pytest

from sitewright.kit.waiting import wait_at_most


async def test_it_ends_with_the_event_or_the_timeout() -> None:
    event = asyncio.Event()
    await wait_at_most(event, 0.01)
    assert not event.is_set()
    event.set()
    await wait_at_most(event, 60)


async def test_a_cancellation_that_coincides_with_the_event_is_not_lost() -> None:
    """With `asyncio.wait_for`, a worker whose database ended together with its supervisor ran forever."""
    event, begun = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        begun.set()
        await wait_at_most(event, 60)

    waiting = asyncio.create_task(wait())
    await begun.wait()
    event.set()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
