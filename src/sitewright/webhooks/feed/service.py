"""Reading the feed, now or as soon as there is something to read."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import msgspec

from sitewright.events.feed import service as feed
from sitewright.events.feed.service import Page
from sitewright.events.names import names_matching
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors
from sitewright.kit.resources import Resources
from sitewright.kit.waiting import wait_at_most
from sitewright.webhooks.feed import store
from sitewright.webhooks.feed.schemas import FeedQuery
from sitewright.webhooks.feed.signals import signals_of

WaitForDisconnect: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class Wanted(msgspec.Struct, frozen=True):
    """What a call asks for."""

    after: int | None
    kinds: list[str] | None
    limit: int
    delivery_failed: bool


def check_types(types: str | None) -> FieldErrors:
    unknown = [each for each in _split(types) if not names_matching(each)]
    if not unknown:
        return {}
    return {"types": {"invalidTypes": f"there is no event {unknown[0][:100]}; the reference lists all of them"}}


def wanted_of(query: FeedQuery) -> Wanted:
    kinds = sorted({name for each in _split(query.types) for name in names_matching(each)})
    return Wanted(query.after, kinds or None, query.limit, query.delivery_failed)


def _split(types: str | None) -> list[str]:
    return [] if types is None else [each.strip() for each in types.split(",")]


async def read(tx: Transaction, wanted: Wanted) -> Page:
    if not wanted.delivery_failed:
        return await feed.read(tx, wanted.after, wanted.kinds, wanted.limit)
    start = await feed.start_of(tx, wanted.after)
    sequences = await store.missed_sequences(tx, start, wanted.kinds, wanted.limit)
    return await feed.read_numbered(tx, sequences, start)


async def read_or_wait(
    resources: Resources, brand_ref: int, wanted: Wanted, seconds: int, disconnected: WaitForDisconnect
) -> Page:
    """Waits without a database connection until there is an event, the time is over, the client is gone, or the process
    is to end. Raises `TooManyWaitingCalls`."""
    signals = signals_of(resources)
    deadline = clock.stopwatch() + seconds
    with signals.waiting(brand_ref) as signal, _set_when_over(disconnected, signal) as gone:
        while True:
            signal.clear()  # before reading, so that no event can arrive unnoticed in between
            async with resources.database.transaction(brand_ref) as tx:
                page = await read(tx, wanted)
            left = deadline - clock.stopwatch()
            if page.count or left <= 0 or signals.is_draining:
                return page
            if wanted.after != page.next and not wanted.delivery_failed and not gone.done():
                wanted = msgspec.structs.replace(wanted, after=page.next)
                continue  # what follows may be there already
            await wait_at_most(signal, left)
            if gone.done():
                return page


@contextmanager
def _set_when_over(disconnected: WaitForDisconnect, signal: asyncio.Event) -> Iterator[asyncio.Task[None]]:
    gone = asyncio.create_task(disconnected())
    gone.add_done_callback(lambda _: signal.set())
    try:
        yield gone
    finally:
        gone.cancel()
