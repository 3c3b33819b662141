"""Zones: which provider has one, and how its service-managed records follow the template."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec
from dns.exception import DNSException

from sitewright.domains.dns import store
from sitewright.domains.dns.names import challenge_name
from sitewright.domains.dns.records import store as records_store
from sitewright.domains.dns.records.store import NewRecord, RecordRow
from sitewright.domains.dns.rrsets import Key, canonical, parsed, presentation, rrsets_of
from sitewright.domains.dns.rrsets import Zone as Rrsets
from sitewright.domains.dns.rules import Existing, conflict
from sitewright.domains.dns.store import Zone
from sitewright.domains.dns.template import NAME_SERVERS, DkimKey, TemplateRecord, digest_of, template_of
from sitewright.domains.mailboxes import service as mailboxes
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.settings import Settings
from sitewright.tenants.brands import service as brands

NONE = "none"


async def effective_provider(tx: Transaction, settings: Settings) -> str:
    """The brand's own choice, else the service's."""
    return (await brands.settings_of_brand(tx)).dns_provider or settings.dns_provider


async def has_mail(tx: Transaction, settings: Settings, account_domain_ref: int) -> bool:
    """There is a mail server, and the domain has a mailbox on it."""
    return bool(settings.mail_host) and await mailboxes.has_mailboxes(tx, account_domain_ref)


async def refresh(tx: Transaction, settings: Settings, zone: Zone, provider: str) -> bool:
    """Brings the service-managed records in line with the template. The zone is locked. Returns whether any changed."""
    dkim = None
    if zone.dkim_selector is not None and zone.dkim_public_key is not None:
        dkim = DkimKey(zone.dkim_selector, zone.dkim_public_key)
    mail = await has_mail(tx, settings, zone.ref)
    template = template_of(settings, zone.name, provider, has_mail=mail, dkim=dkim)
    records = [each for each in await records_store.list_records(tx, zone.ref) if not each.is_removed]
    difference = compare(template, records, zone)
    now = clock.now()
    if difference.obsolete:
        await records_store.remove_records(tx, [each.ref for each in difference.obsolete], now)
    if difference.missing:
        await records_store.insert_records(
            tx, zone.ref, [records_store.of_template(each) for each in difference.missing], now
        )
    is_moved = zone.provider not in (None, provider)
    digest = digest_of(settings, provider)
    if zone.provider != provider or zone.template != digest:
        await store.set_template(tx, zone.ref, provider, digest, is_moved=is_moved)
    changed = bool(difference.obsolete or difference.missing)
    if changed:
        await store.mark_changed(tx, zone.ref, now)
    return changed


class Difference(msgspec.Struct, frozen=True):
    obsolete: Sequence[RecordRow]
    missing: Sequence[TemplateRecord]


def compare(template: Sequence[TemplateRecord], records: Sequence[RecordRow], zone: Zone) -> Difference:
    """Parts that the account holder has taken over are left out, and so is what does not fit the holder's records."""
    own = [_existing(each) for each in records if each.owner == "holder"]
    wanted = [
        each
        for each in template
        if each.slot not in zone.holder_slots and (each.slot == NAME_SERVERS or not conflict(each, own, zone.name))
    ]
    present = [each for each in records if each.owner == "service"]
    kept = {_content(each) for each in present} & {_content(each) for each in wanted}
    return Difference(
        [each for each in present if _content(each) not in kept],
        [each for each in wanted if _content(each) not in kept],
    )


def _content(record: RecordRow | TemplateRecord) -> tuple[object, ...]:
    return record.slot, record.type, record.name, record.value, record.priority, record.ttl


def _existing(record: RecordRow) -> Existing:
    return Existing(
        ref=record.ref,
        type=record.type,
        name=record.name,
        value=record.value,
        ttl=record.ttl,
        priority=record.priority,
    )


def existing(records: Sequence[RecordRow]) -> list[Existing]:
    """Those that a new record must fit."""
    return [_existing(each) for each in records if not each.is_removed and each.owner != "challenge"]


def desired(records: Sequence[RecordRow]) -> Rrsets:
    return rrsets_of(each for each in records if not each.is_removed)


class Found(msgspec.Struct, frozen=True):
    """What an existing zone has that the service did not know: it becomes the account holder's."""

    records: Sequence[NewRecord]
    slots: Sequence[str]
    replaced: Sequence[int]
    """Refs of service-managed records that it takes the place of."""


def found_in(actual: Rrsets, records: Sequence[RecordRow], zone: Zone) -> Found:
    """RRsets with values that the service has not sent, where the account holder has not set any here."""
    present = [each for each in records if not each.is_removed]
    wanted = rrsets_of(present)
    new: list[NewRecord] = []
    replaced: list[RecordRow] = []
    sent_before = _values_of(each for each in records if each.is_removed)
    for key, rrset in actual.items():
        of_key = [each for each in present if Key(each.name, each.type) == key]
        values = set(rrset.values) - sent_before.get(key, set())
        is_known = values <= set(wanted[key].values if key in wanted else ()) or _is_of_holder(of_key)
        if is_known or key == Key(zone.name, "NS") or key.name == challenge_name(zone.name):
            continue
        new += [_of_holder(key, value, rrset.ttl) for value in sorted(values)]
        rivals = [each for each in present if each.name == key.name and "CNAME" in (each.type, key.type)]
        replaced += [each for each in [*of_key, *rivals] if each.owner == "service"]
    return Found(new, sorted({each.slot for each in replaced if each.slot}), sorted({each.ref for each in replaced}))


def _values_of(records: Iterable[RecordRow]) -> dict[Key, set[str]]:
    """Without those that no name server can have: versions before 0.3.0 accepted control characters in CAA."""
    found: defaultdict[Key, set[str]] = defaultdict(set)
    for record in records:
        with suppress(DNSException):
            found[Key(record.name, record.type)].add(canonical(record.type, presentation(record)))
    return found


def _is_of_holder(records: Sequence[RecordRow]) -> bool:
    return any(each.owner != "service" for each in records)


def _of_holder(key: Key, text: str, ttl: int) -> NewRecord:
    value, priority = parsed(key.type, text)
    return NewRecord(type=key.type, name=key.name, value=value, ttl=ttl, priority=priority, owner="holder")
