"""How the worker makes reports, a few at a time, at constant memory.

Reports are an outbox. A worker that dies loses its lease, and the report is begun anew. `attempt` is a fencing token:
an attempt that is no longer the current one stores nothing.
"""

import asyncio
from datetime import timedelta
from zoneinfo import ZoneInfo

from sitewright.accounts.reports import store
from sitewright.accounts.reports.files import store as contents
from sitewright.accounts.reports.files.archive import Archive
from sitewright.accounts.reports.service import FAILURES_KEPT_FOR, KEPT_FOR
from sitewright.accounts.reports.store import Begun
from sitewright.kit import clock
from sitewright.kit.jobs import Schedule
from sitewright.kit.outbox import BackOff, Claimed, DeadLetter, Outbox
from sitewright.kit.outbox.loop import OutboxLoop, each
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.tenants.brands import service as brands

CONCURRENCY = 2
CONNECTIONS = 3
"""To the database, that one report may need at the same time, with one for everybody else."""
LEASE = timedelta(seconds=30)
BACK_OFF = BackOff(tuple(timedelta(seconds=seconds) for seconds in (1, 5, 30, 120)))
TIDIED_AT_ONCE = 10
HUGE = 1_000_000
"""So many users that a file may be larger than 2 GiB."""


class CalledOff(Exception):
    """A user was anonymized meanwhile, or another attempt has begun: what was made so far is discarded."""


def _concurrency(settings: Settings) -> int:
    return CONCURRENCY if settings.database_connections >= CONCURRENCY * CONNECTIONS else 1


async def make(resources: Resources, item: Claimed) -> None:
    """What it raises is retried; nothing is done for a report whose time is over."""
    async with resources.database.transaction(item.brand_ref) as tx:
        begun = await store.begin(tx, item.ref, clock.now())
    if begun is None:
        return
    try:
        async with asyncio.timeout((begun.give_up_at - clock.now()).total_seconds()):
            await _write(resources, item.brand_ref, item.ref, begun)
    except TimeoutError as error:
        raise DeadLetter("not finished in time") from error


async def _write(resources: Resources, brand_ref: int, ref: int, begun: Begun) -> None:
    """All files are one snapshot, taken after the attempt was begun: who was anonymized before is anonymous in it."""

    async def store_piece(number: int, piece: bytes) -> None:
        async with resources.database.transaction(brand_ref) as tx:
            if not await store.add_piece(tx, ref, begun.attempt, number, piece):
                raise CalledOff

    async with resources.database.transaction(brand_ref) as tx:
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


OUTBOX = Outbox(
    name="reports",
    table=store.TABLE,
    claim=store.claim,
    lease=LEASE,
    back_off=BACK_OFF,
    concurrency=_concurrency,
    drain_seconds=5.0,
)
LOOP = OutboxLoop(OUTBOX, each(make))
SCHEDULES = [Schedule("tidy-user-reports", "* * * * *", _tidy)]
