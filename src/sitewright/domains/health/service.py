"""The rules of health checks: when one runs, and what its result means."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from sitewright.domains.health import store
from sitewright.domains.health.checks import run_checks
from sitewright.domains.health.facts import Facts
from sitewright.domains.health.findings import Finding, Status, overall
from sitewright.domains.health.observing import service as observing
from sitewright.domains.health.presenters import messages_in, present, present_findings
from sitewright.domains.health.reading import read_subject
from sitewright.domains.health.recording import record
from sitewright.domains.health.results import (
    CheckResult,
    HealthResult,
    account_domains_with,
    read_result,
    read_results,
    statuses_of_account_domains,
)
from sitewright.domains.health.schemas import DomainHealth, HealthCheck
from sitewright.domains.health.store import CheckRow, Key
from sitewright.domains.health.subjects import Subject
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.http.messages import Messages
from sitewright.kit.public_suffixes import load_suffixes
from sitewright.kit.resources import Resources
from sitewright.sites.sites.domains import service as site_domains
from sitewright.tenants.brands import service as brands

__all__ = [
    "BETWEEN",
    "CheckResult",
    "DomainHealth",
    "HealthCheck",
    "HealthResult",
    "Key",
    "Status",
    "account_domains_with",
    "check",
    "check_name",
    "ensure_result",
    "messages_in",
    "present_findings",
    "read_health",
    "read_result",
    "read_results",
    "statuses_of_account_domains",
]
MAX_AGE = timedelta(hours=1)
BETWEEN = timedelta(seconds=10)
"""Between two checks of a name."""
POLL_SECONDS = 0.2


async def read_health(tx: Transaction, key: Key, host: str, messages: Messages) -> DomainHealth:
    """The last result, in a language; without any the status is unknown and there are no checks."""
    zone = (await brands.settings_of_brand(tx)).time_zone
    return present(await store.find(tx, key), host, zone, messages)


async def ensure_result(resources: Resources, brand_ref: int, key: Key, *, refresh: bool) -> None:
    """Check now if that is requested, or if the last result is too old; without a transaction open.

    If a check began in the last 10 seconds, its result counts; one that still runs is waited for.
    """
    async with resources.database.transaction(brand_ref) as tx:
        row = await store.find(tx, key)
    is_stale = row is None or row.checked_at is None or clock.now() - row.checked_at > MAX_AGE
    if (refresh or is_stale) and not await check(resources, brand_ref, key, is_requested=refresh):
        await _wait_for_result(resources, brand_ref, key)


async def check(resources: Resources, brand_ref: int, key: Key, *, is_requested: bool = True) -> bool:
    """Check a host or domain and store the result; False if a check of it began in the last 10 seconds.

    `is_requested`: by a person or an API client, and neither by the schedule nor because the last result is too old.
    """
    await load_suffixes()
    now = clock.now()
    async with resources.database.transaction(brand_ref) as tx:
        subject = await read_subject(tx, resources.settings, brand_ref, key)
        if subject is None or (key.kind == "domain" and not await site_domains.hold(tx, [key.ref])):
            return True
        if not await store.begin(tx, key, now, now - BETWEEN):
            return False
    facts = await observing.observe(resources, subject)
    findings = run_checks(facts)
    async with resources.database.transaction(brand_ref) as tx:
        await record(tx, resources, key, facts, findings, now, is_requested=is_requested)
    return True


async def _wait_for_result(resources: Resources, brand_ref: int, key: Key) -> None:
    """Until the check that runs elsewhere is recorded, or its time is over."""
    deadline = clock.stopwatch() + observing.SECONDS + 1
    while clock.stopwatch() < deadline:
        async with resources.database.transaction(brand_ref) as tx:
            row = await store.find(tx, key)
        if row is None or not _is_running(row):
            return
        await asyncio.sleep(POLL_SECONDS)


def _is_running(row: CheckRow) -> bool:
    if row.started_at is None:
        return False
    has_result = row.checked_at is not None and row.checked_at >= row.started_at
    return not has_result and clock.now() - row.started_at < BETWEEN


async def check_name(resources: Resources, name: str) -> tuple[Facts, Sequence[Finding], Status]:
    """Check any normalized name, for an operator; nothing is stored. Unknown names are treated as mapped."""
    await load_suffixes()
    async with resources.database.connection() as connection:
        known = await store.find_name(connection, name)
    subject: Subject | None = None
    if known is not None:
        key = (
            Key("domain", known.domain_ref) if known.domain_ref else Key("accountDomain", known.account_domain_ref or 0)
        )
        async with resources.database.transaction(known.brand_ref) as tx:
            subject = await read_subject(tx, resources.settings, known.brand_ref, key)
    facts = await observing.observe(resources, subject or Subject(host=name, brand_ref=None, assumes_mapping=True))
    findings = run_checks(facts)
    return facts, findings, overall(findings)
