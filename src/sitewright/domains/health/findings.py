"""The result of one check, without its texts, and the overall status of several."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class Status(StrEnum):
    OK = "ok"
    ATTENTION = "attention"
    FAILING = "failing"
    UNKNOWN = "unknown"
    """The source of the check could not be queried."""
    SKIPPED = "skipped"
    """The check does not apply."""


MAX_STRING = 255
WORST_FIRST = (Status.FAILING, Status.ATTENTION, Status.UNKNOWN, Status.OK)


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    code: str
    status: Status
    reason: str
    """The key of its texts: `<reason>` is the detail, `<reason>_fix` what to do."""
    expected: str | None = None
    found: str | None = None
    facts: dict[str, str] = {}
    """Further values of the texts."""
    records: list[str] = []
    """The records to enter or to delete."""


def overall(findings: Iterable[Finding]) -> Status:
    statuses = {each.status for each in findings}
    return next((status for status in WORST_FIRST if status in statuses), Status.UNKNOWN)


def listed(values: Iterable[str]) -> str | None:
    """Values as one text; None if there are none."""
    return ", ".join(values) or None


def quoted(text: str) -> str:
    """A text as in a zone file, where each string has at most 255 characters."""
    return " ".join(f'"{text[first : first + MAX_STRING]}"' for first in range(0, len(text), MAX_STRING))


def record(name: str, kind: str, value: str) -> str:
    """A record as in a zone file, to copy."""
    return f"{name}. 3600 IN {kind} {value}"
