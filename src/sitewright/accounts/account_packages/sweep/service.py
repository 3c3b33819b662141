"""The worker's sweep over packages that are due."""

import logging
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta
from typing import TypeAlias

from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.batches import sweep_brand
from sitewright.accounts.account_packages.sweep.failures import store as failures
from sitewright.accounts.account_packages.sweep.reminders import send_due_reminders
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import PeriodicTask
from sitewright.kit.resources import Resources
from sitewright.tenants.brands.clock import service as brand_clock

Work: TypeAlias = Callable[[Resources, int, datetime, int], Awaitable[bool]]
"""Does at most so many of a brand's due changes; returns whether more may be due."""
SECONDS = 2.0
ROUND = 10_000
"""Changes of one round, which the due brands share evenly."""
_log = logging.getLogger("sitewright.packages")


async def do_due_changes(resources: Resources) -> None:
    """Applies everything that is due now, in rounds in which each due brand has one turn."""
    now, finished = clock.now(), set[int]()
    while shares := await _shares(resources, now, finished):
        for brand_ref, share in shares:
            until = now + await _clock_offset(resources, brand_ref)
            if not await _sweep(resources, brand_ref, until, share):
                finished.add(brand_ref)


async def _sweep(resources: Resources, brand_ref: int, until: datetime, share: int) -> bool:
    """Returns whether more may be due until then, which is a time of the brand."""
    steps = (send_due_reminders, sweep_brand)
    return any([await _run_isolated(each, resources, brand_ref, until, share) for each in steps])


async def _clock_offset(resources: Resources, brand_ref: int) -> timedelta:
    async with resources.database.transaction(brand_ref) as tx:
        return (await brand_clock.read(tx)).offset


class DuePackages:
    """Packages and reminders as work that is due while the clock of a test brand is moved."""

    async def due_times(self, tx: Transaction, until: datetime, limit: int) -> list[datetime]:
        return await due_store.due_times(tx, until, limit)

    async def run(self, resources: Resources, brand_ref: int, until: datetime) -> None:
        await _sweep(resources, brand_ref, until, ROUND)


async def _shares(resources: Resources, now: datetime, finished: Collection[int]) -> list[due_store.Share]:
    async with resources.database.connection() as connection:
        return await due_store.shares(connection, now, ROUND, finished)


async def _run_isolated(work: Work, resources: Resources, brand_ref: int, now: datetime, share: int) -> bool:
    """Returns whether more is due. An error stops neither the other brands nor, after reminders, the changes of the
    same brand."""
    try:
        return await work(resources, brand_ref, now, share)
    except Exception as error:
        _log.error("due packages of brand %s", brand_ref, exc_info=error)
        return False


SWEEP = PeriodicTask("packages", SECONDS, do_due_changes)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Deletes the recorded failure of an anonymized user; the sweep then finds the user again."""
    await failures.delete(tx, user_ref)
