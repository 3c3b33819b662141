"""Keeps figures small and right: adds counted changes to the daily figures, and rebuilds figures from rows."""

from collections.abc import Callable

from sitewright.kit import clock
from sitewright.kit.db import Database
from sitewright.kit.jobs import PeriodicTask, Schedule
from sitewright.kit.resources import Resources
from sitewright.statistics import store
from sitewright.tenants.brands import service as brands

FOLD_SECONDS = 10.0
BATCH_SIZE = 5000
OnRebuilt = Callable[[int, int], None]
"""Called with a brand, and how many of its figures were wrong."""


async def fold(database: Database) -> None:
    """In short transactions, until no changes are left."""
    folded = BATCH_SIZE
    while folded >= BATCH_SIZE:
        async with database.transaction(None) as tx:
            folded = await store.fold(tx, BATCH_SIZE)


async def rebuild(database: Database, brand_ref: int) -> int:
    """Correct the brand's figures while the service runs; return how many were wrong."""
    async with database.transaction(brand_ref) as tx:
        await brands.require_brand(tx)
        await store.prepare_rebuild(tx)
        is_first = await store.take_request(tx)
        await store.count_certificates(tx, clock.now(), clock.real_now())
        return await store.rebuild(tx, clock.now(), is_first=bool(is_first))


async def rebuild_all(database: Database, on_rebuilt: OnRebuilt) -> None:
    for brand_ref in await _all_brands(database):
        on_rebuilt(brand_ref, await rebuild(database, brand_ref))


async def _all_brands(database: Database) -> list[int]:
    async with database.connection() as connection:
        return await store.all_brands(connection)


async def count_certificates(resources: Resources) -> None:
    """Time alone changes how many days they have left. The lock keeps a rebuild from adding the same."""
    for brand_ref in await _all_brands(resources.database):
        async with resources.database.transaction(brand_ref) as tx:
            await store.prepare_rebuild(tx)
            await store.count_certificates(tx, clock.now(), clock.real_now())


async def _keep_up(resources: Resources) -> None:
    await fold(resources.database)
    async with resources.database.connection() as connection:
        requested = await store.brands_to_rebuild(connection)
    for brand_ref in requested:
        await _rebuild_as_requested(resources.database, brand_ref)


async def _rebuild_as_requested(database: Database, brand_ref: int) -> None:
    """Unless another worker has just done it."""
    async with database.transaction(brand_ref) as tx:
        await store.prepare_rebuild(tx)
        is_first = await store.take_request(tx)
        if is_first is not None:
            await store.rebuild(tx, clock.now(), is_first=is_first)


LOOP = PeriodicTask("figures", FOLD_SECONDS, _keep_up)
SCHEDULES = [Schedule("count-certificates", "50 * * * *", count_certificates)]
"""Shortly before the end of each hour, and so of each day in most time zones."""
