"""The worker's half: moves the clocks of test brands, step by step, and does what is due at each step.

A step is the time at which the next thing is due; where much is due within a day, it is half a day at once.
The clock is moved and committed before the work of a step: a worker that dies leaves due work behind, as every sweep
does, and the next one goes on from there. One worker at a time moves a clock (advisory lock).
"""

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from sitewright.accounts.clocks import store
from sitewright.accounts.clocks.due_work import due_work
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.failures import reason_of
from sitewright.kit.jobs import PeriodicTask
from sitewright.kit.resources import Resources
from sitewright.tenants.brands.clock import service as brand_clock

SECONDS = 0.5
TURN_SECONDS = 4.0
"""How long a brand's clock is moved before it is the next brand's turn."""
DAY, LARGE_STEP = timedelta(days=1), timedelta(hours=12)
FEW = 8
"""Up to so many due times within a day are steps of their own."""
RETRY_SECONDS = 0.05
_log = logging.getLogger("sitewright.clocks")


async def continue_advances(resources: Resources) -> None:
    """Moves every clock that is to be moved, for its turn."""
    for brand_ref in await _advancing_brands(resources):
        await _take_turn(resources, brand_ref)


async def _advancing_brands(resources: Resources) -> list[int]:
    async with resources.database.connection() as connection:
        return await brand_clock.advancing_brands(connection)


async def _take_turn(resources: Resources, brand_ref: int) -> None:
    """An error does not stop the clocks of other brands."""
    try:
        async with resources.database.connection() as connection:
            if not await store.try_lock_clock(connection, brand_ref):
                return
            try:
                end = clock.stopwatch() + TURN_SECONDS
                while clock.stopwatch() < end and await advance_step(resources, brand_ref):
                    pass
            finally:
                await store.unlock_clock(connection, brand_ref)
    except Exception as error:
        _log.error("the clock of brand %s is not moved: %s", brand_ref, reason_of(error), exc_info=error)


async def advance_step(resources: Resources, brand_ref: int) -> bool:
    """Does what is due by now, then moves the clock to the next step. Returns whether there is more to do."""
    async with resources.database.transaction(brand_ref) as tx:
        at = (await brand_clock.read(tx)).now
    for work in due_work.works:
        await work.run(resources, brand_ref, at)
    async with resources.database.transaction(brand_ref) as tx:
        found = await brand_clock.read(tx, lock=True)
        if found.advancing_to is None:
            return False
        due = await _due_times(tx, found.advancing_to)
        if not due or due[0] > at:
            await brand_clock.move_to(tx, next_step(due, found.advancing_to))
            if not due:
                await brand_clock.finish(tx)
            return bool(due)
    await asyncio.sleep(RETRY_SECONDS)  # another transaction has locked what is due
    return True


async def _due_times(tx: Transaction, until: datetime) -> list[datetime]:
    """The first ones of all works."""
    return sorted([at for work in due_work.works for at in await work.due_times(tx, until, FEW + 1)])


def next_step(due: Sequence[datetime], target: datetime) -> datetime:
    """The first due time or, if more than a few are due within a day of it, a large step from it."""
    if not due:
        return target
    is_dense = len(due) > FEW and due[FEW] - due[0] < DAY
    return min(due[0] + LARGE_STEP, target) if is_dense else due[0]


TASK = PeriodicTask("test clocks", SECONDS, continue_advances)
