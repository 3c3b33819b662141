"""Compares a zone with its provider and sends the difference until they match."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.dns import dkim, store, zones
from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.domains.dns.leases import leased
from sitewright.domains.dns.planner import Plan, plan
from sitewright.domains.dns.providers import Provider, Wanted, ZoneSpec, missing_setting, provider_of
from sitewright.domains.dns.records import store as records_store
from sitewright.domains.dns.records.store import RecordRow
from sitewright.domains.dns.rrsets import Key, canonical, keys_at, quoted
from sitewright.domains.dns.store import Zone
from sitewright.kit import audit, clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources

TIMEOUT_SECONDS = 90
ATTEMPTS_TO_MATCH = 3
ACTOR = "dns"


class Snapshot(msgspec.Struct, frozen=True):
    """A zone and its records as of one revision."""

    zone: Zone
    records: Sequence[RecordRow]

    @property
    def known(self) -> set[Key]:
        """Every RRset that the service has, or had and must remove."""
        return {Key(each.name, each.type) for each in self.records}

    @property
    def wanted(self) -> Wanted:
        return dict.fromkeys(self.known) | zones.desired(self.records)


async def reconcile(
    resources: Resources,
    brand_ref: int,
    account_domain_ref: int,
    *,
    force: bool = False,
    only_challenges: bool = False,
    wait_seconds: float = 0,
) -> Plan | None:
    """Returns the plan that waits for an operator; None if the provider has the zone now. `force`: nothing waits.

    `only_challenges`: sends no changes but those of certificate orders. `wait_seconds`: for another process that sends
    changes of the zone.
    """
    async with (
        _time_limit(),
        leased(resources, brand_ref, account_domain_ref, wait_seconds=wait_seconds),
    ):
        async with resources.database.transaction(brand_ref) as tx:
            zone = await store.find_zone(tx, account_domain_ref)
            name = await zones.effective_provider(tx, resources.settings)
        if zone is None:
            return None
        if zone.removed_at is not None:
            await _remove(resources, zone)
            return None
        if name == zones.NONE:
            await _leave(resources, zone)
            return None
        work = _Reconciliation(resources, name, force=force)
        if only_challenges:
            await work.send_challenges(zone)
            return None
        return await work.run(zone)


@asynccontextmanager
async def _time_limit() -> AsyncIterator[None]:
    limit = asyncio.timeout(TIMEOUT_SECONDS)
    try:
        async with limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise DnsUnavailable(f"Sending the changes took longer than {TIMEOUT_SECONDS} seconds") from None


async def preview(resources: Resources, brand_ref: int, account_domain_ref: int) -> Plan:
    """What `reconcile` would send now; changes nothing at the provider."""
    async with resources.database.transaction(brand_ref) as tx:
        zone = await store.find_zone(tx, account_domain_ref)
        name = await zones.effective_provider(tx, resources.settings)
    if zone is None or zone.removed_at is not None or name == zones.NONE:
        return Plan([], 0, 0)
    return await _Reconciliation(resources, name, force=True).preview(zone)


async def serves(
    resources: Resources, brand_ref: int, account_domain_ref: int, name: str, values: Sequence[str]
) -> bool:
    """Whether the zone's primary server has these TXT records at the name."""
    async with resources.database.transaction(brand_ref) as tx:
        zone = await store.find_zone(tx, account_domain_ref)
    if zone is None or zone.provider is None:
        return False
    key = Key(name, "TXT")
    found = await provider_of(resources, zone.provider).read(_spec(resources, zone), {key: None}) or {}
    return key in found and set(found[key].values) >= {canonical("TXT", quoted(value)) for value in values}


async def _remove(resources: Resources, zone: Zone) -> None:
    """The registrar has released the domain."""
    if zone.provider is not None:
        async with resources.database.transaction(zone.brand_ref) as tx:
            known = Snapshot(zone, await records_store.list_records(tx, zone.ref)).known
        await provider_of(resources, zone.provider).remove(_spec(resources, zone), known)
    async with resources.database.transaction(zone.brand_ref) as tx:
        await store.delete_zone(tx, zone.ref)
        await _record(tx, "remove zone", zone)


async def _leave(resources: Resources, zone: Zone) -> None:
    """Zones of this brand are managed elsewhere: one that never had a provider is not needed."""
    async with resources.database.transaction(zone.brand_ref) as tx:
        if zone.provider is None:
            await store.delete_zone(tx, zone.ref)
        else:
            await store.mark_left(tx, zone.ref)


class _Reconciliation:
    def __init__(self, resources: Resources, provider_name: str, *, force: bool) -> None:
        missing = missing_setting(resources.settings, provider_name)
        if missing is not None:
            raise DnsUnavailable(f"The setting {missing} is empty, which the provider {provider_name} needs")
        self._resources = resources
        self._name = provider_name
        self._provider: Provider = provider_of(resources, provider_name)
        self._force = force

    async def run(self, zone: Zone) -> Plan | None:
        await self._check_former_zone(zone)
        snapshot = await self._prepare(zone)
        spec = _spec(self._resources, zone)
        if snapshot.zone.synced_at is None:
            snapshot = await self._adopt(spec, snapshot)
        for _ in range(ATTEMPTS_TO_MATCH):
            found = await self._provider.read(spec, snapshot.wanted)
            if found is None:
                await self._provider.create(spec)
                found = {}
            planned = plan(zones.desired(snapshot.records), found)
            if not planned.changes:
                await self._publish_ds(spec, snapshot.zone)
                await self._finish(snapshot)
                return None
            if planned.needs_operator and not self._force:
                await self._wait(snapshot.zone, planned)
                return planned
            await self._provider.apply(spec, planned.changes)
        raise DnsUnavailable("The name server accepted the changes but does not serve them")

    async def send_challenges(self, zone: Zone) -> None:
        async with self._resources.database.transaction(zone.brand_ref) as tx:
            records = await records_store.list_records(tx, zone.ref)
        challenges = [each for each in records if each.owner == "challenge"]
        spec, wanted = _spec(self._resources, zone), Snapshot(zone, challenges).wanted
        found = await self._provider.read(spec, wanted) or {}
        present = {key: rrset for key, rrset in found.items() if key in wanted}
        await self._provider.apply(spec, plan(zones.desired(challenges), present).changes)

    async def preview(self, zone: Zone) -> Plan:
        snapshot = await self._prepare(zone)
        spec = _spec(self._resources, zone)
        found = await self._provider.read(spec, snapshot.wanted) or {}
        return plan(zones.desired(snapshot.records), found)

    async def _check_former_zone(self, zone: Zone) -> None:
        async with self._resources.database.connection() as connection:
            if await store.is_being_removed(connection, zone.name):
                raise DnsUnavailable("A former zone of this name is still being removed")

    async def _prepare(self, zone: Zone) -> Snapshot:
        """With a DKIM key if the domain has mail, and service-managed records as in the template."""
        resources = self._resources
        async with resources.database.transaction(zone.brand_ref) as tx:
            needs_key = zone.dkim_selector is None and await zones.has_mail(tx, resources.settings, zone.ref)
        key = await asyncio.to_thread(dkim.generate) if needs_key else None
        async with resources.database.transaction(zone.brand_ref) as tx:
            if key is not None:
                sealed = resources.sealer.seal(key.private_pem, dkim.context(zone.brand_ref, zone.ref))
                await store.set_dkim_key(tx, zone.ref, dkim.SELECTOR, key.public_key, sealed)
            present = await self._locked(tx, zone)
            await zones.refresh(tx, resources.settings, present, self._name)
            return await self._snapshot(tx, zone)

    async def _locked(self, tx: Transaction, zone: Zone) -> Zone:
        found = await store.find_zone(tx, zone.ref, lock=True)
        if found is None:
            raise DnsUnavailable("The zone was removed meanwhile")
        return found

    async def _snapshot(self, tx: Transaction, zone: Zone) -> Snapshot:
        return Snapshot(await self._locked(tx, zone), await records_store.list_records(tx, zone.ref))

    async def _adopt(self, spec: ZoneSpec, snapshot: Snapshot) -> Snapshot:
        """The records of a zone that existed before become the account holder's, so that none is lost."""
        wanted = dict.fromkeys(keys_at({key.name for key in snapshot.known})) | dict(snapshot.wanted)
        actual = await self._provider.read(spec, wanted, everything=True)
        found = zones.found_in(actual or {}, snapshot.records, snapshot.zone)
        if not found.records:
            return snapshot
        zone, now = snapshot.zone, clock.now()
        async with self._resources.database.transaction(zone.brand_ref) as tx:
            present = await self._locked(tx, zone)
            await records_store.remove_records(tx, found.replaced, now)
            await store.add_holder_slots(tx, zone.ref, found.slots)
            await records_store.insert_records(tx, zone.ref, found.records, now)
            await store.mark_changed(tx, zone.ref, now)
            await _record(tx, "adopt records", present, records=len(found.records))
            await zones.refresh(tx, self._resources.settings, await self._locked(tx, zone), self._name)
            return await self._snapshot(tx, zone)

    async def _wait(self, zone: Zone, planned: Plan) -> None:
        async with self._resources.database.transaction(zone.brand_ref) as tx:
            if await store.mark_waiting(tx, zone.ref, clock.now()):
                await _record(tx, "wait for operator", zone, affected=planned.affected, records=planned.existing)

    async def _publish_ds(self, spec: ZoneSpec, zone: Zone) -> None:
        ds = await self._provider.ds_records(spec)
        if ds == zone.ds:
            return
        await account_domains.publish_ds(self._resources, zone.brand_ref, zone.ref, ds)
        async with self._resources.database.transaction(zone.brand_ref) as tx:
            await store.set_ds(tx, zone.ref, ds)
            await _record(tx, "publish DS", zone, records=len(ds))

    async def _finish(self, snapshot: Snapshot) -> None:
        removed = [each.ref for each in snapshot.records if each.is_removed]
        async with self._resources.database.transaction(snapshot.zone.brand_ref) as tx:
            await store.mark_synced(tx, snapshot.zone, removed, clock.now())


def _spec(resources: Resources, zone: Zone) -> ZoneSpec:
    return ZoneSpec(name=zone.name, brand_ref=zone.brand_ref, is_signed=resources.settings.dns_dnssec)


async def _record(tx: Transaction, action: str, zone: Zone, **details: int) -> None:
    about: dict[str, Any] = dict(details)
    await audit.record_each(tx, ACTOR, action, "account domain", [zone.ref], **about)
