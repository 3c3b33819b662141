"""The worker's sweep over packages that are due."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.batches import sweep_brand
from sitewright.accounts.account_packages.sweep.failures import store as failures
from sitewright.accounts.account_packages.sweep.reminders import send_due_reminders
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import PeriodicTask
from sitewright.kit.resources import Resources

SECONDS = 2.0
_log = logging.getLogger("sitewright.packages")


async def do_due_changes(resources: Resources) -> None:
    """Applies everything that is due now, brand by brand."""
    now = clock.now()
    async with resources.database.connection() as connection:
        brand_refs = await due_store.brands_with_due_packages(connection, now)
    for brand_ref in brand_refs:
        await _run_isolated(send_due_reminders, resources, brand_ref, now)
        await _run_isolated(sweep_brand, resources, brand_ref, now)


async def _run_isolated(
    work: Callable[[Resources, int, datetime], Awaitable[None]], resources: Resources, brand_ref: int, now: datetime
) -> None:
    """An error stops neither the other brands nor, after reminders, the changes of the same brand."""
    try:
        await work(resources, brand_ref, now)
    except Exception as error:
        _log.error("due packages of brand %s", brand_ref, exc_info=error)


SWEEP = PeriodicTask("packages", SECONDS, do_due_changes)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Deletes the recorded failure of an anonymized user; the sweep then retries the user."""
    await failures.delete(tx, user_ref)
