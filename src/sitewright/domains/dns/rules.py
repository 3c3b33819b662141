"""Which records can be together in a zone."""

from collections.abc import Iterable, Sequence

import msgspec

from sitewright.domains.dns.reasons import Reason
from sitewright.domains.dns.rrsets import Record
from sitewright.domains.dns.values import NULL_TARGET, purpose

MAX_TTL = 7 * 24 * 3600
MIN_TTL = 60


class Existing(msgspec.Struct, frozen=True, kw_only=True):
    """Another record of the zone."""

    ref: int
    type: str
    name: str
    value: str
    ttl: int
    priority: int | None


def conflict(record: Record, others: Sequence[Existing], zone: str) -> dict[str, Reason]:
    """Why a record cannot be added to the others, by field; empty when it can."""
    here = [each for each in others if each.name == record.name]
    for field, reason in _conflicts(record, here, others, zone):
        return {field: reason}
    return {}


def _conflicts(
    record: Record, here: Sequence[Existing], others: Sequence[Existing], zone: str
) -> Iterable[tuple[str, Reason]]:
    yield from _duplicate(record, here)
    yield from _alias(record, here, zone)
    yield from _delegation(record, here, others, zone)
    yield from _mail(record, here)
    yield from _targets(record, others)


def _between(code: str, text: str, other: Existing, **facts: str) -> Reason:
    """A conflict with another record, which pages show as a whole and the API by its number."""
    return Reason(code, text, record=f"{other.type} {other.name} {other.value}", **facts)


def _duplicate(record: Record, here: Sequence[Existing]) -> Iterable[tuple[str, Reason]]:
    for each in here:
        if (each.type, each.value, each.priority) == (record.type, record.value, record.priority):
            yield "value", _between("duplicate", f"the zone has this record already: {each.ref}", each)
        kind = purpose(record.type, record.value)
        if kind is not None and purpose(each.type, each.value) == kind:
            text = f"a name can have one {kind} record, and record {each.ref} is one; change that record instead"
            yield "value", _between("second", text, each, kind=kind)


def _alias(record: Record, here: Sequence[Existing], zone: str) -> Iterable[tuple[str, Reason]]:
    """A CNAME is the only record of its name, so the apex, which has SOA and NS records, cannot have one."""
    if record.type == "CNAME":
        if record.name == zone:
            text = "the domain itself cannot be a CNAME; use A and AAAA records, or a name below it like www"
            yield "type", Reason("apexCname", text)
        if record.value == record.name:
            yield "value", Reason("ownName", "a CNAME cannot lead to its own name")
        if here:
            text = f"a CNAME must be the only record of its name; delete record {here[0].ref} first"
            yield "type", _between("notAlone", text, here[0])
    for each in here:
        if each.type == "CNAME":
            text = f"{each.name} is a CNAME (record {each.ref}), next to which nothing can be; delete that first"
            yield "name", _between("besideCname", text, each)


def _delegation(
    record: Record, here: Sequence[Existing], others: Sequence[Existing], zone: str
) -> Iterable[tuple[str, Reason]]:
    """Other servers answer for a name with NS records, and for all names below it."""
    if record.type == "NS":
        if record.name == zone:
            text = "the name servers of the domain itself are the service's; send a name below it"
            yield "name", Reason("apexNs", text)
        if record.name.startswith("*."):
            yield "name", Reason("wildcardNs", "a wildcard cannot have name servers")
        for each in [*here, *(each for each in others if each.name.endswith(f".{record.name}"))]:
            if (each.type, each.name) != ("NS", record.name):
                text = f"a name with NS records has no others, nor any below it; delete record {each.ref}"
                yield "type", _between("notOnlyNs", text, each)
    for each in others:
        is_delegated = each.type == "NS" and each.name != zone and f".{record.name}".endswith(f".{each.name}")
        if is_delegated and (record.type, record.name) != ("NS", each.name):
            text = f"other name servers answer for {each.name} (record {each.ref}); add the record there"
            yield "name", _between("delegated", text, each)


def _mail(record: Record, here: Sequence[Existing]) -> Iterable[tuple[str, Reason]]:
    if record.type != "MX":
        return
    servers = [each for each in here if each.type == "MX"]
    if record.value == NULL_TARGET and (servers or record.priority):
        text = "an MX of . says that there is no mail: it has the priority 0, and is the only one of its name"
        yield "value", Reason("nullMx", text)
    for each in servers:
        if each.value == NULL_TARGET:
            text = f"record {each.ref} says that there is no mail here; change that record instead, or delete it"
            yield "value", _between("besideNullMx", text, each)


def _targets(record: Record, others: Sequence[Existing]) -> Iterable[tuple[str, Reason]]:
    """Mail and name servers must not be aliases (RFC 2181)."""
    aliases = {each.name: each for each in others if each.type == "CNAME"}
    if record.type in ("MX", "NS") and record.value in aliases:
        alias = aliases[record.value]
        text = f"{record.value} is a CNAME (record {alias.ref}); send the name that it leads to"
        yield "value", _between("targetIsCname", text, alias)
    if record.type == "CNAME":
        for each in others:
            if each.type in ("MX", "NS") and each.value == record.name:
                text = f"record {each.ref} ({each.type}) leads to this name, which therefore cannot be a CNAME"
                yield "name", _between("isTarget", text, each)
