"""The worker's half: automatic certificates are an outbox of orders, renewals and looks at renewal windows."""

import asyncio

from sitewright.domains.certificates.acme import store
from sitewright.domains.certificates.acme.limits import service as limits
from sitewright.domains.certificates.acme.maintaining import maintain
from sitewright.domains.certificates.acme.own_hosts import service as own_hosts
from sitewright.domains.certificates.acme.work import Work
from sitewright.kit.failures import is_database_unavailable, is_transient
from sitewright.kit.jobs import Schedule
from sitewright.kit.outbox import BackOff, Outbox
from sitewright.kit.outbox.loop import Batch, OutboxLoop
from sitewright.kit.resources import Resources

CONCURRENCY = 24
"""Orders of one worker at the same time: they mostly wait for the authority."""


async def handle(batch: Batch) -> bool:
    may_continue = True
    for item in batch.items:
        try:
            may_continue &= await maintain(Work(batch.resources, item, batch.outcomes))
        except Exception as error:
            if not is_transient(error) and not is_database_unavailable(error):
                raise
            await batch.outcomes.release([item])
            if not is_transient(error):
                return False
    return may_continue


OUTBOX = Outbox(
    name="certificates",
    table=store.WORK,
    claim=store.claim,
    lease=store.LEASE,
    back_off=BackOff(()),
    concurrency=lambda _settings: CONCURRENCY,
)


class CertificateLoop:
    """Idle where no certificate authority is set."""

    name = OUTBOX.name

    def __init__(self) -> None:
        self._loop = OutboxLoop(OUTBOX, handle)

    async def run(self, resources: Resources, stopping: asyncio.Event) -> None:
        if not resources.settings.acme_directory:
            await stopping.wait()
            return
        await own_hosts.ensure_due(resources)
        await self._loop.run(resources, stopping)

    async def run_once(self, resources: Resources) -> None:
        """Everything that is due now."""
        if resources.settings.acme_directory:
            await own_hosts.ensure_due(resources)
            await self._loop.run_once(resources)


LOOP = CertificateLoop()
SCHEDULES = [Schedule("prune-acme-usage", "47 3 * * *", limits.prune)]
