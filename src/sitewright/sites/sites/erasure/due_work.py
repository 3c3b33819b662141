"""Erasures while the clock of a test brand is moved: a site is erased when the brand's time says so."""

from datetime import datetime

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.sites.sites.erasure import service, store

BATCH = 100


class DueErasures:
    async def due_times(self, tx: Transaction, until: datetime, limit: int) -> list[datetime]:
        return await store.due_times(tx, until, limit)

    async def run(self, resources: Resources, brand_ref: int, until: datetime) -> None:
        """Erases what is due until then, in this order; the worker does the rest when its time comes."""
        async with resources.database.transaction(brand_ref) as tx:
            refs = await store.list_due(tx, until, BATCH)
        for ref in refs:
            async with resources.database.transaction(brand_ref) as tx:
                await service.erase_waiting(tx, ref)
        async with resources.database.transaction(brand_ref) as tx:
            await store.follow_clock(tx, clock.now(), until)
