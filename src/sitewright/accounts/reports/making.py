"""How the worker makes reports: one after another in each of a few slots, at constant memory.

Whoever makes one holds a lock that ends with its connection; a worker that dies loses it, and the report is begun anew.
"""

import asyncio
import logging
from functools import partial
from zoneinfo import ZoneInfo

from sitewright.accounts.reports import store
from sitewright.accounts.reports.files import store as contents
from sitewright.accounts.reports.files.archive import Archive
from sitewright.accounts.reports.service import FAILURES_KEPT_FOR, KEPT_FOR
from sitewright.accounts.reports.store import Begun
from sitewright.kit import clock
from sitewright.kit.db import Lease
from sitewright.kit.jobs import PeriodicTask, Schedule
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands

SLOTS = 2
"""Reports that a worker makes at the same time."""
CONNECTIONS = 3
"""What a slot may need at the same time, and one for everybody else."""
LOOKED_AT = 100
TIDIED_AT_ONCE = 10
MOST_STARTS = 5
HUGE = 1_000_000
"""So many users that a file may be larger than 2 GiB."""
_log = logging.getLogger("sitewright.reports")


class CalledOff(Exception):
    """Somebody was anonymised meanwhile, or time is over: what was made so far is worth nothing."""


async def make_next(resources: Resources, slot: int = 0) -> None:
    """The first of those that nobody makes, if there is one."""
    if slot and resources.settings.database_connections < SLOTS * CONNECTIONS:
        return
    async with resources.database.connection() as connection:
        pending = await store.pending_reports(connection, clock.now(), LOOKED_AT)
    for brand_ref, ref in pending:
        if await make(resources, brand_ref, ref):
            return


async def make(resources: Resources, brand_ref: int, ref: int) -> bool:
    """False when somebody else makes it."""
    async with resources.database.lease() as lease:
        connection = await lease.connection()
        if not await contents.try_lock(connection, ref):
            return False
        try:
            await _make(resources, lease, brand_ref, ref)
        finally:
            if not connection.is_closed():
                await contents.unlock(connection, ref)
    return True


async def _make(resources: Resources, lease: Lease, brand_ref: int, ref: int) -> None:
    """What goes wrong is tried again, a few times; that is counted before it is begun, since a worker may die of it."""
    async with resources.database.transaction(brand_ref) as tx:
        begun = await store.begin(tx, ref, clock.now())
        if begun is not None and begun.starts > MOST_STARTS:
            await store.fail(tx, ref, f"tried {MOST_STARTS} times; the worker's log tells more", clock.now())
            begun = None
    if begun is None:
        return
    try:
        async with asyncio.timeout((begun.give_up_at - clock.now()).total_seconds()):
            await _write(resources, lease, brand_ref, ref, begun)
    except (CalledOff, TimeoutError):
        _log.info("report %s of brand %s called off", ref, brand_ref)
    except Unavailable:
        raise
    except Exception as error:
        _log.error("report %s of brand %s, start %s", ref, brand_ref, begun.starts, exc_info=error)


async def _write(resources: Resources, lease: Lease, brand_ref: int, ref: int, begun: Begun) -> None:
    """All files see the moment after the attempt was begun: whoever was anonymised before is anonymous in them."""

    async def store_piece(number: int, piece: bytes) -> None:
        async with resources.database.transaction(brand_ref) as tx:
            if not await store.add_piece(tx, ref, begun.attempt, number, piece):
                raise CalledOff

    async with lease.transaction(brand_ref) as tx:
        await contents.see_one_moment(tx)
        brand = await brands.settings_of_brand(tx)
        may_be_huge = begun.starts > 1 or await contents.count_users(tx) > HUGE
        local = clock.now().astimezone(ZoneInfo(brand.time_zone))
        async with Archive(store_piece, local, may_be_huge=may_be_huge) as archive:
            for name in contents.FILES:
                await archive.begin(name)
                await contents.copy_file(tx, name, begun.wanted, brand.time_zone, archive.write)
                await archive.end()
            await archive.close()
    now = clock.now()
    async with resources.database.transaction(brand_ref) as tx:
        if not await store.finish(tx, ref, begun.attempt, archive.size, now, now + KEPT_FOR):
            raise CalledOff


async def _tidy(resources: Resources) -> None:
    now = clock.now()
    async with resources.database.connection() as connection:
        while await store.tidy(connection, now, now - FAILURES_KEPT_FOR, TIDIED_AT_ONCE):
            pass


TASKS = [PeriodicTask(f"user-reports-{slot}", 1.0, partial(make_next, slot=slot)) for slot in range(SLOTS)]
SCHEDULES = [Schedule("tidy-user-reports", "* * * * *", _tidy)]
