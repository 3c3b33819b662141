"""The last results for pages: each check in words, with the records to copy apart from what to do with them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from sitewright.domains.health import store
from sitewright.domains.health.findings import Finding, Status
from sitewright.domains.health.presenters import present_finding
from sitewright.domains.health.store import CheckRow, Key
from sitewright.kit.db import Transaction
from sitewright.kit.http.messages import Messages

MAX_FILTERED = 10_000
"""Account domains of one status: more than anybody reads."""


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    code: str
    status: Status
    detail: str
    fix: str | None
    """What to do with the records, or without any."""
    records: list[str]
    expected: str | None
    found: str | None


class HealthResult(msgspec.Struct, frozen=True, kw_only=True):
    """`checked_at` is None before the first result."""

    status: Status = Status.UNKNOWN
    checked_at: datetime | None = None
    checks: list[CheckResult] = []


async def read_result(tx: Transaction, key: Key, host: str, messages: Messages) -> HealthResult:
    """Of one host or account domain. `messages` are those of this feature (`messages_in`)."""
    return _result(await store.find(tx, key), host, messages)


async def read_results(tx: Transaction, hosts: Mapping[int, str], messages: Messages) -> dict[int, HealthResult]:
    """Of mapped hosts by their refs, in one statement; every host has a result."""
    found = await store.find_many(tx, list(hosts))
    return {ref: _result(found.get(ref), host, messages) for ref, host in hosts.items()}


def _result(row: CheckRow | None, host: str, messages: Messages) -> HealthResult:
    if row is None or row.status is None or row.checked_at is None:
        return HealthResult()
    checks = [_check(each, host, messages) for each in row.findings]
    return HealthResult(status=row.status, checked_at=row.checked_at, checks=checks)


def _check(finding: Finding, host: str, messages: Messages) -> CheckResult:
    shown = present_finding(finding, host, messages, lists_records=False)
    return CheckResult(
        code=finding.code,
        status=finding.status,
        detail=shown.detail,
        fix=shown.fix,
        records=finding.records,
        expected=finding.expected,
        found=finding.found,
    )


async def statuses_of_account_domains(tx: Transaction, refs: Sequence[int]) -> dict[int, Status]:
    """The worst of the last results of each domain and of the sites' addresses at it; without any it is left out."""
    return dict(await store.list_account_domains(tx, refs, None, len(refs)))


async def account_domains_with(tx: Transaction, status: Status) -> list[int]:
    """The refs of account domains with this status, newest first."""
    return [ref for ref, _ in await store.list_account_domains(tx, None, status, MAX_FILTERED)]
