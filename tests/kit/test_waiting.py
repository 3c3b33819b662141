"""Waiting for an event for some time."""

import asyncio

import pytest

from sitewright.kit.waiting import wait_at_most


async def test_it_ends_with_the_event_or_the_time() -> None:
    event = asyncio.Event()
    await wait_at_most(event, 0.01)
    assert not event.is_set()
    event.set()
    await wait_at_most(event, 60)


async def test_whoever_is_told_to_end_just_as_the_event_comes_ends() -> None:
    """With `asyncio.wait_for`, a worker whose database died together with its supervisor went on for ever."""
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
