"""The worker erases sites whose delay is over, as an outbox."""

from datetime import timedelta

from sitewright.kit.outbox import BackOff, Claimed, Outbox
from sitewright.kit.outbox.loop import OutboxLoop, each
from sitewright.kit.resources import Resources
from sitewright.sites.sites.erasure import service, store


async def erase_due(resources: Resources, item: Claimed) -> None:
    async with resources.database.transaction(item.brand_ref) as tx:
        await service.erase_waiting(tx, item.ref)


OUTBOX = Outbox(
    name="site-erasures",
    table=store.WORK,
    claim=store.claim,
    lease=timedelta(seconds=60),
    back_off=BackOff(tuple(timedelta(seconds=seconds) for seconds in (10, 60, 600))),
    poll_seconds=5.0,
)
LOOP = OutboxLoop(OUTBOX, each(erase_due))
