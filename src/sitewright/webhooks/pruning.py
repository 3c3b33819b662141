"""What is kept of events and their deliveries goes after 30 days."""

from datetime import timedelta

from sitewright.kit import clock
from sitewright.kit.jobs import Schedule
from sitewright.kit.resources import Resources
from sitewright.webhooks.deliveries import store

KEPT_FOR = timedelta(days=30)
AT_ONCE = 5000


async def prune(resources: Resources) -> None:
    """In small steps, so that nobody waits for it."""
    removed = AT_ONCE
    while removed >= AT_ONCE:
        now = clock.now()
        async with resources.database.connection() as connection:
            removed = await store.prune(connection, now - KEPT_FOR, now, AT_ONCE)


SCHEDULES = [Schedule("prune-webhooks", "41 * * * *", prune)]
