"""The worker generates reports and copies of account holders' data, a few at a time, at constant memory.

Reports are an outbox. A worker that dies loses its lease, and another attempt begins. The attempt's number is a fencing
token: an attempt that is no longer the current one stores nothing.
"""

import asyncio
from datetime import timedelta
from zoneinfo import ZoneInfo

from sitewright.accounts.reports import store
from sitewright.accounts.reports.files import store as contents
from sitewright.accounts.reports.files.archive import Archive
from sitewright.accounts.reports.hooks import data_exported
from sitewright.accounts.reports.report_events import emit_finished
from sitewright.accounts.reports.service import FAILURE_RETENTION, RETENTION
from sitewright.accounts.reports.store import Attempt
from sitewright.kit import clock
from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import Schedule
from sitewright.kit.outbox import BackOff, Claimed, DeadLetter, Outbox
from sitewright.kit.outbox.loop import OutboxLoop, each
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.tenants.brands import service as brands

CONCURRENCY = 2
CONNECTIONS = 3
"""Database connections that one report may need at the same time, including one for other work."""
LEASE = timedelta(seconds=30)
BACK_OFF = BackOff(tuple(timedelta(seconds=seconds) for seconds in (1, 5, 30, 120)))
CLEANUP_BATCH = 10
HUGE = 1_000_000
"""With more users than this, a file may be larger than 2 GiB."""


class AttemptSuperseded(Exception):
    """A user was anonymized, or another attempt has begun: this attempt's output is discarded."""


def _concurrency(settings: Settings) -> int:
    return CONCURRENCY if settings.database_connections >= CONCURRENCY * CONNECTIONS else 1


async def generate(resources: Resources, item: Claimed) -> None:
    """Errors are retried; nothing is done for a report whose time limit has passed."""
    async with resources.database.transaction(item.brand_ref) as tx:
        attempt = await store.begin_attempt(tx, item.ref, clock.now())
    if attempt is None:
        return
    try:
        async with asyncio.timeout((attempt.give_up_at - clock.now()).total_seconds()):
            await _write(resources, item.brand_ref, item.ref, attempt)
    except TimeoutError as error:
        raise DeadLetter("not finished in time") from error


async def _write(resources: Resources, brand_ref: int, ref: int, attempt: Attempt) -> None:
    """All files are one snapshot, taken after the attempt began: users anonymized before are anonymous in it."""

    async def store_piece(number: int, piece: bytes) -> None:
        async with resources.database.transaction(brand_ref) as tx:
            if not await store.add_piece(tx, ref, attempt.number, number, piece):
                raise AttemptSuperseded

    async with resources.database.transaction(brand_ref) as tx:
        brand = await brands.settings_of_brand(tx)
        may_be_huge = attempt.starts > 1 or await contents.count_users(tx) > HUGE
    local = clock.now().astimezone(ZoneInfo(brand.time_zone))
    async with Archive(store_piece, local, may_be_huge=may_be_huge) as archive:
        if attempt.user_ref is None:
            async with resources.database.transaction(brand_ref) as tx:
                await contents.use_snapshot(tx)
                await _write_report(tx, attempt, brand.time_zone, archive)
        else:
            await _write_data_copy(resources, brand_ref, attempt.user_ref, archive)
        await archive.close()
    now = clock.now()
    async with resources.database.transaction(brand_ref) as tx:
        finished = await store.finish(tx, ref, attempt.number, archive.size, now, now + RETENTION)
        if finished is None:
            raise AttemptSuperseded
        await emit_finished(tx, ref, finished, now)


async def _write_data_copy(resources: Resources, brand_ref: int, user_ref: int, archive: Archive) -> None:
    """Large files follow after the snapshot, so that no transaction is open while a remote store is read."""
    export = DataExport(user_ref, archive.begin, archive.write, archive.end)
    async with resources.database.transaction(brand_ref) as tx:
        await contents.use_snapshot(tx)
        await data_exported.notify(tx, export)
    for write in export.after_snapshot:
        await write(resources, brand_ref)


async def _write_report(tx: Transaction, attempt: Attempt, time_zone: str, archive: Archive) -> None:
    for name in contents.FILES:
        await archive.begin(name)
        await contents.copy_file(tx, name, attempt.criteria, time_zone, archive.write)
        await archive.end()


async def _clean_up(resources: Resources) -> None:
    now = clock.now()
    async with resources.database.connection() as connection:
        while await store.clean_up(connection, now, now - FAILURE_RETENTION, CLEANUP_BATCH):
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
LOOP = OutboxLoop(OUTBOX, each(generate))
SCHEDULES = [Schedule("tidy-user-reports", "* * * * *", _clean_up)]
