"""The worker's half: checks all mapped hosts on a schedule, as an outbox that never ends."""

from datetime import timedelta

from sitewright.domains.health import service, store
from sitewright.kit.outbox import BackOff, Claimed, Outbox
from sitewright.kit.outbox.loop import OutboxLoop, each
from sitewright.kit.resources import Resources

CONCURRENCY = 16
"""Checks of one worker at the same time: each sends up to a dozen of the queries that may be sent at the same time."""


async def check_due(resources: Resources, item: Claimed) -> None:
    async with resources.database.transaction(item.brand_ref) as tx:
        row = await store.find_by_ref(tx, item.ref)
    if row is not None:
        await service.check(resources, item.brand_ref, row.key, is_requested=False)


OUTBOX = Outbox(
    name="domain-checks",
    table=store.WORK,
    claim=store.claim,
    lease=timedelta(seconds=30),
    back_off=BackOff(tuple(timedelta(seconds=seconds) for seconds in (10, 60, 600))),
    concurrency=lambda _settings: CONCURRENCY,
)
LOOP = OutboxLoop(OUTBOX, each(check_due))
