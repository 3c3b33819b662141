"""The rules of DNS records. A domain's holder, the domain and its zone are locked before a change."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import msgspec

from sitewright.domains.account_domains.service import AccountDomain
from sitewright.domains.dns import store, zones
from sitewright.domains.dns.challenges import present_challenge, withdraw_challenge
from sitewright.domains.dns.errors import (
    DnsNotManaged,
    DnsRecordFixed,
    DnsRecordLimitReached,
    DnsRecordNotFound,
    DnsRecordNotRestorable,
    DnsUnavailable,
)
from sitewright.domains.dns.names import full_name
from sitewright.domains.dns.planner import Plan
from sitewright.domains.dns.reasons import InvalidRecord, Reason
from sitewright.domains.dns.reconciling import preview as preview_plan
from sitewright.domains.dns.records import store as records_store
from sitewright.domains.dns.records.store import NewRecord, RecordRow
from sitewright.domains.dns.rules import conflict
from sitewright.domains.dns.schemas import DnsRecord, DnsRecordFields
from sitewright.domains.dns.store import Zone
from sitewright.domains.dns.template import NAME_SERVERS
from sitewright.domains.dns.values import InvalidValue, canonical_value
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.settings import Settings

__all__ = [
    "DnsRecord",
    "DnsRecordFields",
    "DnsUnavailable",
    "InvalidRecord",
    "Plan",
    "RecordRow",
    "ZoneState",
    "create_record",
    "delete_record",
    "edit_record",
    "find_record",
    "is_restorable",
    "list_records",
    "managed_zone",
    "page_of_records",
    "present_challenge",
    "preview_plan",
    "restore_record",
    "withdraw_challenge",
    "zone_state",
]
MAX_RECORDS = 500
"""Of one zone: more than people have, and few enough to compare at once."""


class ZoneState(msgspec.Struct, frozen=True, kw_only=True):
    """A domain's DNS, for pages."""

    is_managed: bool
    """The service has the zone; otherwise its records are changed elsewhere."""
    synced_at: datetime | None = None
    """When the name servers last had all records; None: not yet."""
    out_of_sync_since: datetime | None = None
    waits_for_operator: bool = False
    error: str | None = None
    name_servers: Sequence[str] = ()
    ds: Sequence[str] = ()


async def zone_state(tx: Transaction, settings: Settings, account_domain_ref: int) -> ZoneState:
    zone = await store.find_zone(tx, account_domain_ref)
    if zone is None or await zones.effective_provider(tx, settings) == zones.NONE:
        return ZoneState(is_managed=False)
    return ZoneState(
        is_managed=True,
        synced_at=zone.synced_at,
        out_of_sync_since=zone.out_of_sync_since,
        waits_for_operator=zone.waits_since is not None,
        error=zone.last_error,
        name_servers=settings.dns_nameservers,
        ds=zone.ds,
    )


async def list_records(tx: Transaction, domain: AccountDomain) -> list[DnsRecord]:
    """All records of a domain, first added first; none if its DNS is managed elsewhere."""
    rows = await records_store.list_records(tx, domain.ref)
    return [present(row) for row in rows if not row.is_removed and row.owner != "challenge"]


async def page_of_records(tx: Transaction, domain: AccountDomain, window: Window) -> tuple[list[DnsRecord], Page]:
    rows = await records_store.read_page(tx, domain.ref, window)
    return [present(row) for row in window.shown(rows)], cut(window, [row.ref for row in rows])


async def find_record(tx: Transaction, domain: AccountDomain, record_ref: int) -> RecordRow:
    found = await records_store.find_record(tx, domain.ref, record_ref)
    if found is None:
        raise DnsRecordNotFound
    return found


def present(row: RecordRow) -> DnsRecord:
    fields: dict[str, Any] = {name: getattr(row, name) for name in DnsRecord.__struct_fields__}
    return DnsRecord(**fields)


async def create_record(
    tx: Transaction, settings: Settings, caller: Caller, domain: AccountDomain, fields: DnsRecordFields
) -> DnsRecord:
    """The domain is locked. Raises InvalidRecord for a record that would break the zone."""
    zone = await _open_zone(tx, settings, domain)
    records = await records_store.list_records(tx, zone.ref)
    others = zones.existing(records)
    if len(others) >= MAX_RECORDS:
        raise DnsRecordLimitReached
    record = _checked(fields, zone)
    if reasons := conflict(record, others, zone.name):
        raise InvalidRecord.of(reasons)
    now = clock.now()
    [ref] = await records_store.insert_records(tx, zone.ref, [record], now)
    await _changed(tx, zone, now)
    await _record(tx, caller, "add DNS record", zone, ref, record.type)
    return present(await find_record(tx, domain, ref))


async def edit_record(
    tx: Transaction,
    settings: Settings,
    caller: Caller,
    domain: AccountDomain,
    record: RecordRow,
    fields: DnsRecordFields,
) -> DnsRecord:
    """A service-managed record becomes the holder's, with all others of its part of the template."""
    zone = await _open_zone(tx, settings, domain)
    record = await find_record(tx, domain, record.ref)
    _check_changeable(record)
    new = _checked(fields, zone)
    others = [each for each in zones.existing(await records_store.list_records(tx, zone.ref)) if each.ref != record.ref]
    if reasons := conflict(new, others, zone.name):
        raise InvalidRecord.of(reasons)
    if _content(new) == _content(record):
        return present(record)
    now = clock.now()
    await _take_over(tx, zone, record)
    if (new.name, new.type) == (record.name, record.type):
        await records_store.update_record(tx, record.ref, new, now)
    else:
        await records_store.move_record(tx, zone.ref, record.ref, new, now)
    await _changed(tx, zone, now)
    await _record(tx, caller, "edit DNS record", zone, record.ref, new.type)
    return present(await find_record(tx, domain, record.ref))


async def delete_record(
    tx: Transaction, settings: Settings, caller: Caller, domain: AccountDomain, record: RecordRow
) -> None:
    """A service-managed record does not come back: the holder has taken over its part of the template."""
    zone = await _open_zone(tx, settings, domain)
    record = await find_record(tx, domain, record.ref)
    _check_changeable(record)
    now = clock.now()
    await _take_over(tx, zone, record)
    await records_store.remove_records(tx, [record.ref], now)
    await _changed(tx, zone, now)
    await _record(tx, caller, "delete DNS record", zone, record.ref, record.type)


async def restore_record(
    tx: Transaction, settings: Settings, caller: Caller, domain: AccountDomain, record: RecordRow
) -> None:
    """The service manages this part of the template again; the account holder's records of it are removed."""
    zone = await _open_zone(tx, settings, domain)
    record = await find_record(tx, domain, record.ref)
    if not is_restorable(record):
        raise DnsRecordNotRestorable
    now = clock.now()
    own = [
        each
        for each in await records_store.list_records(tx, zone.ref)
        if each.slot == record.slot and not each.is_removed
    ]
    await records_store.remove_records(tx, [each.ref for each in own], now)
    await store.remove_holder_slot(tx, zone.ref, record.slot or "")
    await zones.refresh(
        tx, settings, cast("Zone", await store.find_zone(tx, domain.ref)), await zones.effective_provider(tx, settings)
    )
    await _changed(tx, zone, now)
    await _record(tx, caller, "restore DNS record", zone, record.ref, record.type)


def is_restorable(record: RecordRow) -> bool:
    """Whether the account holder has taken the record over from the service."""
    return record.owner == "holder" and record.slot is not None


async def managed_zone(tx: Transaction, host: str) -> str | None:
    """The brand's zone that contains the host, if a provider has it: the account domain's name."""
    labels = host.removeprefix("*.").split(".")
    return await store.find_active_zone(tx, [".".join(labels[start:]) for start in range(len(labels) - 1)])


async def _open_zone(tx: Transaction, settings: Settings, domain: AccountDomain) -> Zone:
    """Locked, with the records of the template, which a change must fit. Records can be set before the registration."""
    provider = await zones.effective_provider(tx, settings)
    if domain.ended_at is not None or provider == zones.NONE:
        raise DnsNotManaged
    await store.insert_zones(tx, [domain.ref], clock.now())
    zone = await store.find_zone(tx, domain.ref, lock=True)
    if zone is None or zone.removed_at is not None:
        raise DnsNotManaged
    if await zones.refresh(tx, settings, zone, provider):
        return cast("Zone", await store.find_zone(tx, domain.ref))
    return zone


def _checked(fields: DnsRecordFields, zone: Zone) -> NewRecord:
    """The record as it is stored; raises InvalidRecord with every invalid field."""
    reasons: dict[str, Reason] = {}
    try:
        name = full_name(fields.name, zone.name)
    except Reason as reason:
        name = ""
        reasons["name"] = reason
    value = canonical_value(fields.type, fields.value, fields.priority)
    if isinstance(value, InvalidValue):
        reasons[value.field] = value.reason
    if reasons or isinstance(value, InvalidValue):
        raise InvalidRecord.of(reasons)
    return NewRecord(type=fields.type, name=name, value=value, ttl=fields.ttl, priority=fields.priority, owner="holder")


def _check_changeable(record: RecordRow) -> None:
    if record.slot == NAME_SERVERS:
        raise DnsRecordFixed


def _content(record: NewRecord | RecordRow) -> tuple[object, ...]:
    return record.type, record.name, record.value, record.ttl, record.priority


async def _take_over(tx: Transaction, zone: Zone, record: RecordRow) -> None:
    if record.owner == "service" and record.slot is not None:
        await store.add_holder_slots(tx, zone.ref, [record.slot])


async def _changed(tx: Transaction, zone: Zone, now: datetime) -> None:
    await store.mark_changed(tx, zone.ref, now)
    await store.mark_due(tx, [zone.ref], now)


async def _record(tx: Transaction, caller: Caller, action: str, zone: Zone, ref: int, record_type: str) -> None:
    """Without the value, which may be personal."""
    await audit.record_by(tx, caller, action, "account domain", zone.ref, recordRef=ref, type=record_type)
