"""View model of a health check: one badge, what is wrong with the records to copy, and what is fine."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec
from markupsafe import Markup

from sitewright.domains.certificates.acme.service import CertificateState
from sitewright.domains.health.service import CheckResult, HealthResult, Status
from sitewright.kit import clock
from sitewright.kit.http.messages import Messages

TONES = {
    Status.OK: "good",
    Status.ATTENTION: "warn",
    Status.FAILING: "bad",
    Status.UNKNOWN: "neutral",
    Status.SKIPPED: "neutral",
}
WORST_FIRST = (Status.FAILING, Status.ATTENTION, Status.UNKNOWN)
RECORD_PARTS = 5
CERTIFICATE = "certificate"
BETWEEN_CHECKS = timedelta(minutes=2)
"""Of a new host: it is checked every minute."""


class CopiedRecord(msgspec.Struct, frozen=True):
    """A record to enter or to delete; only `value` if it is no line of a zone file."""

    type: str
    name: str
    value: str


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    code: str
    label: str
    tone: str
    detail: str
    fix: str | None
    records: list[CopiedRecord]


class HealthView(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    """`ok`, `attention`, `failing`, `unknown`, or `pending` before the first result."""
    label: str
    tone: str
    checked: Markup | None
    problems: list[CheckView]
    others: list[CheckView]

    @property
    def is_pending(self) -> bool:
        return self.checked is None


def health_view(result: HealthResult, messages: Messages, certificate: CertificateState | None = None) -> HealthView:
    """`certificate`: what the service knows of it; it may have been ordered since the check."""
    if result.checked_at is None:
        label = messages("health_pending")
        return HealthView(status="pending", label=label, tone="accent", checked=None, problems=[], others=[])
    checks = [each for each in result.checks if not (certificate and _is_outdated(each, result, certificate))]
    problems = [each for status in WORST_FIRST for each in checks if each.status is status]
    others = [each for status in (Status.OK, Status.SKIPPED) for each in checks if each.status is status]
    status = problems[0].status if problems else Status.OK if others else result.status
    return HealthView(
        status=status.value,
        label=messages(f"health_{status.value}"),
        tone=TONES[status],
        checked=messages.time(result.checked_at),
        problems=_views(problems, messages),
        others=_views(others, messages),
    )


def describe_reason(code: str, messages: Messages) -> str:
    """Why an address fails: its first failing check in words; one of a later release by its code."""
    key = f"health_reason_{code}"
    return messages(key) if key in messages else code


def _is_outdated(check: CheckResult, result: HealthResult, certificate: CertificateState) -> bool:
    """Whether the check found no certificate, and one is being ordered or was issued soon after the check."""
    is_new = certificate.status == "valid" or (certificate.status == "pending" and certificate.reason is None)
    is_recent = result.checked_at is not None and clock.now() - result.checked_at < BETWEEN_CHECKS
    return check.code == CERTIFICATE and check.status is not Status.OK and is_new and is_recent


def _views(checks: Sequence[CheckResult], messages: Messages) -> list[CheckView]:
    """Several checks can find the same fault: it is shown once."""
    shown: dict[tuple[str, str | None, tuple[str, ...]], CheckView] = {}
    for each in checks:
        shown.setdefault((each.detail, each.fix, tuple(each.records)), _view(each, messages))
    return list(shown.values())


def _view(check: CheckResult, messages: Messages) -> CheckView:
    return CheckView(
        code=check.code,
        label=messages(f"check_{check.status.value}"),
        tone=TONES[check.status],
        detail=check.detail,
        fix=check.fix,
        records=[read_record(each) for each in check.records],
    )


def read_record(line: str) -> CopiedRecord:
    """Of a line of a zone file: name, time to live, class, type and value."""
    parts = line.split(" ", RECORD_PARTS - 1)
    if len(parts) != RECORD_PARTS:
        return CopiedRecord("", "", line)
    name, _, _, record_type, value = parts
    return CopiedRecord(record_type, name.removesuffix("."), value)
