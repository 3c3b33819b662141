"""The worker's half: zones are an outbox, due from the transaction that changes one until its provider has it."""

from datetime import timedelta

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.dns import store, zones
from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.domains.dns.reconciling import reconcile
from sitewright.domains.dns.template import digest_of
from sitewright.kit import clock
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.jobs import Schedule
from sitewright.kit.outbox import BackOff, Outbox
from sitewright.kit.outbox.loop import Batch, OutboxLoop
from sitewright.kit.resources import Resources

CONCURRENCY = 8
"""Zones of one worker that are reconciled at the same time."""
CHECK_AGE = timedelta(days=1)
"""How often a zone is compared with its provider although nothing has changed here."""
ZONES_PER_REFRESH = 1000


async def _handle(batch: Batch) -> bool:
    for item in batch.items:
        try:
            await reconcile(batch.resources, item.brand_ref, item.ref)
        except Exception as error:
            if is_database_unavailable(error):
                await batch.outcomes.release([item])
                return False
            reason = str(error) if isinstance(error, DnsUnavailable) else reason_of(error)
            await batch.outcomes.retry([item], reason)
        else:
            await batch.outcomes.done([item])
    return True


OUTBOX = Outbox(
    name="dns",
    table=store.TABLE,
    claim=store.claim,
    lease=timedelta(minutes=2),
    back_off=BackOff(tuple(timedelta(seconds=seconds) for seconds in (5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600))),
    concurrency=lambda _settings: CONCURRENCY,
)
LOOP = OutboxLoop(OUTBOX, _handle)


async def refresh_zones(resources: Resources) -> None:
    """Zones follow the settings: those that miss one get it, and those with an older template are due."""
    now = clock.now()
    for brand_ref in await account_domains.brands_with_domains(resources):
        async with resources.database.transaction(brand_ref) as tx:
            provider = await zones.effective_provider(tx, resources.settings)
            if provider == zones.NONE:
                continue
            template = digest_of(resources.settings, provider)
            await store.insert_missing_zones(tx, now, ZONES_PER_REFRESH)
            await store.mark_stale_due(tx, template, now, now - CHECK_AGE, ZONES_PER_REFRESH)


SCHEDULES = [Schedule("refresh-dns-zones", "*/5 * * * *", refresh_zones)]
