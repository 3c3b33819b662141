"""DNS records in pages: the lists by owner, the form of one record with its errors, and the state of the zone."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated, get_args

import msgspec
from babel.dates import format_timedelta
from markupsafe import Markup

from sitewright.domains.dns.schemas import RecordType
from sitewright.domains.dns.service import DnsRecord, DnsRecordFields, InvalidRecord, RecordRow, ZoneState
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse

TYPES: tuple[str, ...] = get_args(RecordType)
WITH_PRIORITY = ("MX", "SRV")
TTLS = (300, 3600, 14400, 86400)
DEFAULT_TTL = 3600
FIELDS = ("type", "name", "value", "ttl", "priority")


class NewRecordQuery(msgspec.Struct, frozen=True):
    """What the form of a new record begins with."""

    type: Annotated[str | None, about("The type of the record; A if it is left out.", "MX")] = None


class RecordForm(msgspec.Struct, frozen=True, kw_only=True):
    """A DNS record."""

    token: Annotated[str, about("The session's form token, against cross-site requests.", "0f3a")] = ""
    type: Annotated[str, about("The type; NS only for names below the domain.", "A")] = "A"
    name: Annotated[str, about("`@` or nothing for the domain itself, or a name below it.", "shop")] = ""
    value: Annotated[str, about("An address, a host name or a text.", "192.0.2.10")] = ""
    ttl: Annotated[str, about("For how many seconds resolvers may keep the record.", "3600")] = ""
    priority: Annotated[str, about("Of MX and SRV records, the smallest first.", "10")] = ""


class RecordView(msgspec.Struct, frozen=True, kw_only=True):
    ref: int
    type: str
    name: str
    value: str
    ttl: str
    href: str | None
    """Where it can be changed."""


class RecordLists(msgspec.Struct, frozen=True):
    own: list[RecordView]
    """Of the account holder."""
    service: list[RecordView]


class ZoneView(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    """`elsewhere`, `waiting`, `failing`, `publishing` or `published`."""
    label: str
    tone: str
    time: Markup | None
    error: str | None
    """For operators."""
    name_servers: list[str]
    ds: list[str]


ZONE_TONES = {
    "elsewhere": "neutral",
    "waiting": "warn",
    "failing": "bad",
    "publishing": "accent",
    "published": "good",
}


def zone_view(state: ZoneState, messages: Messages) -> ZoneView:
    status = zone_status(state)
    at = state.synced_at if status == "published" else state.out_of_sync_since
    return ZoneView(
        status=status,
        label=messages(f"zone_{status}"),
        tone=ZONE_TONES[status],
        time=None if at is None else messages.time(at),
        error=state.error,
        name_servers=list(state.name_servers),
        ds=list(state.ds),
    )


def zone_status(state: ZoneState) -> str:
    if not state.is_managed:
        return "elsewhere"
    if state.waits_for_operator:
        return "waiting"
    if state.out_of_sync_since is not None:
        return "failing" if state.error else "publishing"
    return "published" if state.synced_at is not None else "publishing"


def record_lists(records: Sequence[DnsRecord], domain: str, path: str | None, messages: Messages) -> RecordLists:
    """`path`: where records are changed; None: not by this reader. The zone's own name servers cannot be changed."""
    ordered = sorted(records, key=lambda each: (each.name != domain, each.name, TYPES.index(each.type), each.ref))
    views = [(each.owner, _view(each, domain, path, messages)) for each in ordered]
    return RecordLists(
        [view for owner, view in views if owner == "holder"], [view for owner, view in views if owner == "service"]
    )


def _view(record: DnsRecord, domain: str, path: str | None, messages: Messages) -> RecordView:
    is_fixed = record.type == "NS" and record.name == domain
    return RecordView(
        ref=record.ref,
        type=record.type,
        name=record.name,
        value=record.value if record.priority is None else f"{record.priority} {record.value}",
        ttl=_duration(record.ttl, messages),
        href=None if path is None or is_fixed else f"{path}/{record.ref}",
    )


def typed_record(record: RecordRow, domain: str) -> dict[str, str]:
    """What the form of an existing record begins with."""
    return {
        "type": record.type,
        "name": "" if record.name == domain else record.name.removesuffix(f".{domain}"),
        "value": record.value,
        "ttl": str(record.ttl),
        "priority": "" if record.priority is None else str(record.priority),
    }


def read_form(sent: Mapping[str, str]) -> DnsRecordFields:
    """Raises Invalid for what is no record at all."""
    typed = {name: sent.get(name, "").strip() for name in FIELDS}
    values = {name: text for name, text in typed.items() if text or name in ("name", "value")}
    return parse(DnsRecordFields, values)


def form_values(messages: Messages, typed: Mapping[str, str], problem: Problem | None = None) -> dict[str, object]:
    """The values of the record form's template."""
    record_type = typed.get("type") or "A"
    record_type = record_type if record_type in TYPES else "A"
    ttl = typed.get("ttl", "")
    seconds = int(ttl) if ttl.isascii() and ttl.isdigit() and len(ttl) < 7 else DEFAULT_TTL
    return {
        "record_type": record_type,
        "typed": typed,
        "has_priority": record_type in WITH_PRIORITY,
        "ttls": [(each, _duration(each, messages), each == seconds) for each in sorted({*TTLS, seconds})],
        "errors": record_errors(problem, messages),
    }


def _duration(seconds: int, messages: Messages) -> str:
    return format_timedelta(timedelta(seconds=seconds), threshold=1, locale=messages.language)


def type_links(path: str, current: str, messages: Messages) -> list[dict[str, object]]:
    return [
        {"href": f"{path}?type={each}", "label": messages(f"record_type_{each}"), "is_current": each == current}
        for each in TYPES
    ]


def record_errors(problem: Problem | None, messages: Messages) -> dict[str, str]:
    """By field; a problem of no field, and of one that the form does not show, is of the form."""
    if problem is None:
        return {}
    if isinstance(problem, InvalidRecord):
        found = {name: _reason(messages, each.code, each.facts) for name, each in problem.reasons.items()}
    elif problem.errors:
        found = {name: messages(f"record_wrong_{name}") for name in problem.errors if name in FIELDS}
    else:
        key = f"record_problem_{problem.code}"
        found = {"": messages(key) if key in messages else messages("problem")}
    if "type" in found:
        found[""] = found.pop("type")
    return found


def _reason(messages: Messages, code: str, facts: Mapping[str, str | int]) -> str:
    return messages(f"record_reason_{code}", **facts)
