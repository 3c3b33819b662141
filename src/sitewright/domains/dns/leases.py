"""One process at a time sends the changes of a zone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from sitewright.domains.dns import store
from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.kit import clock
from sitewright.kit.resources import Resources

LEASE = timedelta(minutes=2)
"""Longer than any reconciliation: see `reconciling.TIMEOUT_SECONDS`."""
POLL_SECONDS = 0.2


@asynccontextmanager
async def leased(
    resources: Resources, brand_ref: int, account_domain_ref: int, *, wait_seconds: float = 0
) -> AsyncIterator[None]:
    """Raises DnsUnavailable if another process still has the zone after the wait."""
    deadline = clock.stopwatch() + wait_seconds
    while True:
        now = clock.now()
        until = now + LEASE
        async with resources.database.transaction(brand_ref) as tx:
            is_taken = await store.take_lease(tx, account_domain_ref, now, until)
        if is_taken:
            break
        if clock.stopwatch() >= deadline:
            raise DnsUnavailable("Another process is sending changes of this zone")
        await asyncio.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        async with resources.database.transaction(brand_ref) as tx:
            await store.end_lease(tx, account_domain_ref, until)
