"""Lists zones, shows and applies their plans, and hands DKIM keys to the mail server: for operators of the service."""

import msgspec

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.dns import dkim
from sitewright.domains.dns.errors import DnsNotManaged, DnsUnavailable
from sitewright.domains.dns.operating import store
from sitewright.domains.dns.operating.store import ListedZone
from sitewright.domains.dns.planner import Plan
from sitewright.domains.dns.reconciling import preview, reconcile
from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.resources import Resources

__all__ = [
    "DkimFile",
    "ListedZone",
    "Plan",
    "ZonePlan",
    "apply_plan",
    "apply_plans",
    "list_dkim_keys",
    "list_zones",
    "preview",
    "show_plans",
]
ALL = 2**31 - 1
WAIT_SECONDS = 30


class ZonePlan(msgspec.Struct, frozen=True):
    zone: ListedZone
    plan: Plan
    error: str | None = None
    """Why the provider could not be asked, or refused."""


class DkimFile(msgspec.Struct, frozen=True):
    domain: str
    selector: str
    private_pem: bytes | None
    """None while the zone has no key: it has no mail, or the worker is about to make one."""


async def list_zones(resources: Resources, *, attention_only: bool, limit: int) -> list[ListedZone]:
    async with resources.database.connection() as connection:
        return await store.list_zones(connection, None, attention_only=attention_only, limit=limit)


async def show_plans(resources: Resources, name: str | None) -> list[ZonePlan]:
    """Of one zone, or of all that need attention: what would be sent to their providers now."""
    plans = []
    for zone in await _zones(resources, name):
        try:
            plans.append(ZonePlan(zone, await preview(resources, zone.brand_ref, zone.ref)))
        except DnsUnavailable as error:
            plans.append(ZonePlan(zone, Plan([], 0, 0), str(error)))
    return plans


async def apply_plans(resources: Resources, actor: Caller, name: str | None, *, force: bool) -> list[ZonePlan]:
    """Sends them now. `force`: also plans that change much of a zone. Returns those that still wait or failed."""
    left = []
    for zone in await _zones(resources, name):
        async with resources.database.transaction(zone.brand_ref) as tx:
            await audit.record_by(tx, actor, "apply DNS plan", "account domain", zone.ref, force=force)
        try:
            waiting = await reconcile(resources, zone.brand_ref, zone.ref, force=force, wait_seconds=WAIT_SECONDS)
        except DnsUnavailable as error:
            left.append(ZonePlan(zone, Plan([], 0, 0), str(error)))
        else:
            if waiting is not None:
                left.append(ZonePlan(zone, waiting))
    return left


async def apply_plan(resources: Resources, actor: Caller, brand_ref: int, account_domain_ref: int) -> None:
    """Sends all changes of one zone of the brand now. Raises DnsUnavailable if the provider was not reached."""
    async with resources.database.transaction(brand_ref) as tx:
        await audit.record_by(tx, actor, "apply DNS plan", "account domain", account_domain_ref, force=True)
    await reconcile(resources, brand_ref, account_domain_ref, force=True, wait_seconds=WAIT_SECONDS)


async def list_dkim_keys(resources: Resources) -> list[DkimFile]:
    """The private keys of all domains, for the mail server."""
    found = []
    for brand_ref in await account_domains.brands_with_domains(resources):
        async with resources.database.transaction(brand_ref) as tx:
            keys = await store.list_dkim_keys(tx)
        for key in keys:
            context = dkim.context(brand_ref, key.ref)
            opened = None if key.sealed is None else resources.sealer.unseal(key.sealed, context)
            found.append(DkimFile(key.domain, key.selector or dkim.SELECTOR, opened))
    return found


async def _zones(resources: Resources, name: str | None) -> list[ListedZone]:
    async with resources.database.connection() as connection:
        found = await store.list_zones(connection, name, attention_only=name is None, limit=ALL)
    if name is not None and not found:
        raise DnsNotManaged(f"The service has no zone {name}.")
    return found
