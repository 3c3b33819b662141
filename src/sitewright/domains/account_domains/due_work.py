"""Domains while the clock of a test brand is moved: what renewals and ends require of the registrar is done at once."""

import asyncio
from datetime import datetime

from sitewright.domains.account_domains import store
from sitewright.domains.account_domains.jobs import OUTBOX, handle
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed
from sitewright.kit.outbox.loop import Batch
from sitewright.kit.outbox.outcomes import Outcomes
from sitewright.kit.resources import Resources

BATCH = 20
"""Few enough to be done within their lease."""
WAIT_SECONDS = 5.0
POLL_SECONDS = 0.05


class DueDomains:
    """Domains are due for the registrar from the change of their package on, whatever the brand's time is."""

    async def due_times(self, _tx: Transaction, _until: datetime, _limit: int) -> list[datetime]:
        return []

    async def run(self, resources: Resources, brand_ref: int, _until: datetime) -> None:
        """Also waits, for a limited time, for those that another worker has claimed."""
        while items := await self._claim(resources, brand_ref):
            await handle(Batch(resources, items, Outcomes(resources, OUTBOX), asyncio.Event()))
        end = clock.stopwatch() + WAIT_SECONDS
        while clock.stopwatch() < end and await self._is_claimed(resources, brand_ref):  # noqa: ASYNC110 - of any worker
            await asyncio.sleep(POLL_SECONDS)

    async def _claim(self, resources: Resources, brand_ref: int) -> list[Claimed]:
        now = clock.now()
        async with resources.database.transaction(brand_ref) as tx:
            return await store.claim_of_brand(tx, now, now + OUTBOX.lease, BATCH)

    async def _is_claimed(self, resources: Resources, brand_ref: int) -> bool:
        async with resources.database.transaction(brand_ref) as tx:
            return await store.has_first_attempts(tx)
