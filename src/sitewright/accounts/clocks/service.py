"""Reads the clock of a test brand, and has the worker move it."""

import asyncio
from datetime import timedelta

from sitewright.accounts.clocks.errors import NotATestBrand, TestClockAdvancing
from sitewright.accounts.clocks.schemas import Advance, TestClock
from sitewright.accounts.clocks.targets import target_of
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.kit.timestamps import iso_utc
from sitewright.tenants.brands.clock import service as brand_clock
from sitewright.tenants.brands.clock.service import BrandClock

WAIT_SECONDS = 20.0
"""How long a call waits for the end of an advance."""
POLL_SECONDS = 0.1
MARGIN = timedelta(seconds=5)
"""After which a call that died, and its wait, no longer count."""


async def read_test_clock(tx: Transaction, brand_ref: int) -> TestClock:
    return _describe(brand_ref, await _read(tx))


async def advance(resources: Resources, caller: Caller, brand_ref: int, request: Advance) -> TestClock:
    """Moves the clock. If that takes longer than `WAIT_SECONDS`, the worker goes on, and the same call waits again."""
    async with resources.database.transaction(brand_ref) as tx:
        await _begin(tx, caller, brand_ref, request)
    try:
        return await _wait(resources, brand_ref)
    finally:
        async with resources.database.transaction(brand_ref) as tx:
            await brand_clock.stop_waiting(tx)


async def _begin(tx: Transaction, caller: Caller, brand_ref: int, request: Advance) -> None:
    """Begins an advance, or continues the one that an equal call began. One call at a time waits for it."""
    found, now = await _read(tx, lock=True), clock.now()
    is_waited = found.waited_until is not None and found.waited_until > now
    if found.advancing_to is not None and found.advancing_from is not None:
        if is_waited or target_of(request, found.advancing_from, found.zone) != found.advancing_to:
            raise TestClockAdvancing.between(found.now, found.advancing_to)
    else:
        since = found.now
        target = target_of(request, since, found.zone)
        await brand_clock.begin(tx, since, target)
        await audit.record_by(tx, caller, "advance-clock", "brand", brand_ref, to=iso_utc(target))
    await brand_clock.wait_until(tx, now + timedelta(seconds=WAIT_SECONDS) + MARGIN)


async def _wait(resources: Resources, brand_ref: int) -> TestClock:
    end = clock.stopwatch() + WAIT_SECONDS
    while True:
        async with resources.database.transaction(brand_ref) as tx:
            found = await _read(tx)
        if found.advancing_to is None or clock.stopwatch() > end:
            return _describe(brand_ref, found)
        await asyncio.sleep(POLL_SECONDS)


async def _read(tx: Transaction, *, lock: bool = False) -> BrandClock:
    found = await brand_clock.read(tx, lock=lock)
    if not found.test_mode:
        raise NotATestBrand
    return found


def _describe(brand_ref: int, found: BrandClock) -> TestClock:
    return TestClock(
        brand_ref=brand_ref,
        time=iso_utc(found.now),
        status="ready" if found.advancing_to is None else "advancing",
        advancing_to=None if found.advancing_to is None else iso_utc(found.advancing_to),
    )
