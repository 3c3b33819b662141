"""The feed: events in order and without gaps. A reader that follows `next` misses none.

The sequencer numbers events of a brand one batch after another, so a reader that sees a sequence can see all below it.
"""

from collections.abc import Sequence

import msgspec

from sitewright.events.feed import store
from sitewright.kit.db import Transaction
from sitewright.kit.problems import Problem
from sitewright.tenants.brands import service as brands

SCAN = 10_000
"""Events that one call reads at most to find those of the wanted kinds."""


class EventsGone(Problem):
    status = 410
    code = "eventsGone"
    title = "These events were deleted"
    detail = "Events are kept for 30 days. `current.oldestSequence` is the oldest one: read on from there."


class Page(msgspec.Struct, frozen=True):
    count: int
    next: int
    """The sequence to read on after."""
    bodies: bytes = b""
    """As JSON, in order, joined by commas."""


async def read(tx: Transaction, after: int | None, kinds: Sequence[str] | None, limit: int) -> Page:
    """The next events after a sequence (None: from the oldest one), of these kinds (None: of all).

    Raises `BrandNotFound` without a brand, as `start_of` does.
    """
    if kinds is None:
        begin = await start_of(tx, None) if after is None else after
        found = await store.read_events(tx, begin, limit)
        # Sequences have no gaps: a page without one misses no deleted event.
        has_no_gap = found.count > 0 and found.last == begin + found.count
        start = begin if has_no_gap else await start_of(tx, begin)
        return Page(found.count, found.last or start, found.json)
    start = await start_of(tx, after)
    until = await store.end_of_scan(tx, start, SCAN)
    if until is None:
        return Page(0, start)
    found = await store.read_events_of(tx, start, until, kinds, limit)
    is_partial = found.is_cut or found.count == limit
    return Page(found.count, found.last if is_partial else until, found.json)


async def start_of(tx: Transaction, after: int | None) -> int:
    """Where to begin. A sequence beyond the newest one, perhaps from before a restore, counts as the newest."""
    bounds = await store.read_bounds(tx)
    if bounds is None:  # a brand without events, or none
        await brands.require_brand(tx)
        return 0
    if after is not None and after < bounds.pruned:
        raise EventsGone(
            f"Events are kept for 30 days; the oldest sequence is {bounds.pruned + 1}. To read on from there, send"
            f" after={bounds.pruned}.",
            current={"oldestSequence": bounds.pruned + 1},
        )
    return bounds.pruned if after is None else min(after, bounds.last)


async def read_numbered(tx: Transaction, sequences: Sequence[int], start: int) -> Page:
    """These events; `start` is the sequence to read on after if there are none."""
    found = await store.read_numbered(tx, sequences)
    return Page(found.count, found.last or start, found.json)
