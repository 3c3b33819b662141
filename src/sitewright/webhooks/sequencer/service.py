"""The sequencer, in every worker: a lock on each brand's row keeps several of them from numbering a brand at once.

It polls. With a NOTIFY in every emitting transaction it would begin a little earlier, but PostgreSQL commits
transactions that notify one after another, across all brands (decision 0159).
"""

from sitewright.kit import clock
from sitewright.kit.jobs import PeriodicTask
from sitewright.kit.outages import tolerate_outage
from sitewright.kit.resources import Resources
from sitewright.webhooks.sequencer import store

POLL_SECONDS = 0.1
BATCH = 1000
"""Events of each brand that are numbered in one transaction."""


async def sequence_events(resources: Resources) -> None:
    """Numbers all events that have committed, adds their deliveries, and wakes the readers of the feed."""
    numbered = BATCH
    while numbered >= BATCH:
        async with resources.database.connection() as connection:
            numbered = await store.sequence_events(connection, clock.now(), BATCH)


async def _poll(resources: Resources) -> None:
    with tolerate_outage("sequencer"):
        await sequence_events(resources)


SEQUENCER = PeriodicTask("sequencer", POLL_SECONDS, _poll)
