"""Renders results in a language: the detail of each check, and what to do."""

from collections.abc import Sequence
from pathlib import Path

from sitewright.domains.health.findings import Finding, Status
from sitewright.domains.health.schemas import DomainHealth, HealthCheck, Overall
from sitewright.domains.health.store import CheckRow
from sitewright.kit.http.messages import MessageCatalog, Messages
from sitewright.kit.timestamps import timestamp

CATALOG = MessageCatalog(Path(__file__).parent / "texts")
FIX = "_fix"
OVERALL: dict[Status, Overall] = {
    Status.OK: "ok",
    Status.ATTENTION: "attention",
    Status.FAILING: "failing",
    Status.UNKNOWN: "unknown",
}


def messages_in(language: str | None, accept_language: str = "") -> Messages:
    """The messages of a language, else of the best one that the client accepts, else English."""
    return CATALOG.messages_for(language, None, accept_language or "en")


def present(row: CheckRow | None, host: str, zone: str, messages: Messages) -> DomainHealth:
    """`zone`: the brand's time zone."""
    if row is None or row.status is None or row.checked_at is None:
        return DomainHealth(host, "unknown", None, [])
    checked_at = timestamp(row.checked_at, zone)
    return DomainHealth(host, OVERALL[row.status], checked_at, present_findings(row.findings, host, messages))


def present_findings(findings: Sequence[Finding], host: str, messages: Messages) -> list[HealthCheck]:
    return [present_finding(each, host, messages) for each in findings]


def present_finding(finding: Finding, host: str, messages: Messages, *, lists_records: bool = True) -> HealthCheck:
    """A reason of a later release, whose texts are not known, is shown by its name.

    `lists_records`: the text of what to do lists the records, too, and does not only introduce them.
    """
    values = {
        **finding.facts,
        "host": host,
        "found": finding.found or "-",
        "expected": finding.expected or "-",
        "records": "\n".join(finding.records) if lists_records else "",
    }
    reason = finding.reason
    detail = messages(reason, **values) if reason in messages else reason
    fix = messages(reason + FIX, **values).strip() if reason + FIX in messages else None
    if fix is not None and fix.endswith(":") and not finding.records:  # it introduces nothing
        fix = messages("recordsUnknown")
    return HealthCheck(finding.code, finding.status.value, finding.expected, finding.found, detail, fix)
