"""Stores a result and what follows from it: events on changes of state, one mail, the hook, the metrics."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sitewright.domains.health import store
from sitewright.domains.health.facts import Facts
from sitewright.domains.health.findings import Finding, Status, overall
from sitewright.domains.health.hooks import HostChecked, host_checked
from sitewright.domains.health.mails import DOMAIN_FAILING
from sitewright.domains.health.presenters import messages_in, present_finding
from sitewright.domains.health.store import CheckRow, Key, State
from sitewright.domains.health.subjects import Subject
from sitewright.events import service as events
from sitewright.kit import mail
from sitewright.kit.db import Transaction
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources
from sitewright.sites.sites.domains import service as site_domains

STATES: dict[Status, State] = {Status.OK: "healthy", Status.ATTENTION: "healthy", Status.FAILING: "failing"}
"""An unknown result changes no state."""
FOLLOW_THE_FIRST_CHECK = frozenset({"certificate", "hsts"})
CERTIFICATE_TIME = timedelta(minutes=10)
"""A certificate is ordered after the first check of a host. That it is missing until then is no failure."""


async def record(
    tx: Transaction,
    resources: Resources,
    key: Key,
    facts: Facts,
    findings: Sequence[Finding],
    at: datetime,
    *,
    is_requested: bool,
) -> None:
    """Of two concurrent checks, the one that began later counts. A host that was unmapped meanwhile has no row."""
    row = await lock_row(tx, key)
    if row is None or (row.checked_at is not None and row.checked_at > at):
        return
    waits = _waits_for_certificate(row, findings, at)
    status = Status.ATTENTION if waits else overall(findings)
    counter = resources.metrics.counter(
        "sitewright_domain_checks", "Health checks of domains by their result.", ["status"]
    )
    counter.labels(status.value).inc()
    state = row.state if waits else STATES.get(status, row.state)
    is_mailed = _is_to_be_mailed(row, key, facts.subject, status)
    await store.save(tx, row.ref, status, state, findings, at, is_mailed=is_mailed)
    if key.kind != "domain":
        return
    checked = HostChecked(key.ref, facts.host, facts.points_here, facts.challenge_reachable, at, is_requested)
    await host_checked.notify(tx, checked)
    if is_mailed:
        await _mail(tx, resources, facts.subject, findings)
    if state is not None and state != row.state:
        await _emit(tx, key.ref, facts.subject, state, status, findings, at)


async def lock_row(tx: Transaction, key: Key) -> CheckRow | None:
    """A host stays mapped until the transaction ends: unmapping locks the host first, then its check."""
    if key.kind == "domain":
        await site_domains.hold(tx, [key.ref])
    return await store.lock(tx, key)


def _waits_for_certificate(row: CheckRow, findings: Sequence[Finding], at: datetime) -> bool:
    failing = {each.code for each in findings if each.status is Status.FAILING}
    is_new = row.state is None and at - row.since < CERTIFICATE_TIME
    return is_new and bool(failing) and failing <= FOLLOW_THE_FIRST_CHECK


def _is_to_be_mailed(row: CheckRow, key: Key, subject: Subject, status: Status) -> bool:
    """Only the first failure of a site that visitors see."""
    return key.kind == "domain" and status is Status.FAILING and row.mailed_at is None and subject.is_online


async def _mail(tx: Transaction, resources: Resources, subject: Subject, findings: Sequence[Finding]) -> None:
    """In the account holder's language; the first failing check is what to fix first."""
    first = next(each for each in findings if each.status is Status.FAILING)
    shown = present_finding(first, subject.host, messages_in(subject.language))
    facts = {"domain": subject.host, "problem": shown.detail, "fix": shown.fix or ""}
    message = Mail(kind=DOMAIN_FAILING, user_ref=subject.user_ref, site_ref=subject.site_ref, facts=facts)
    await mail.put(tx, resources.sealer, subject.brand_ref or 0, [message])


async def _emit(
    tx: Transaction,
    domain_ref: int,
    subject: Subject,
    state: State,
    status: Status,
    findings: Sequence[Finding],
    at: datetime,
) -> None:
    """The name is where erasing a site erases it."""
    body = {
        "site": {"ref": subject.site_ref, "domains": {str(domain_ref): subject.host}},
        "accountHolder": {"ref": subject.user_ref},
        "domainRef": domain_ref,
        "status": status.value,
        "failing": [each.code for each in findings if each.status is Status.FAILING],
    }
    await events.emit(tx, f"domain.{state}", body, at)
