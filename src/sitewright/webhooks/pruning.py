"""Deletes events, deliveries and attempts after 30 days."""

from datetime import timedelta

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import Schedule
from sitewright.kit.pruning import prune_in_batches
from sitewright.kit.resources import Resources
from sitewright.webhooks.deliveries import store

RETENTION = timedelta(days=30)


async def prune(resources: Resources) -> None:
    await prune_in_batches(resources.database, _prune)


async def _prune(tx: Transaction, most: int) -> int:
    now = clock.now()
    return await store.prune(tx, now - RETENTION, now, most)


SCHEDULES = [Schedule("prune-webhooks", "41 * * * *", prune)]
