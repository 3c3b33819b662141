"""User reports: asking for one, and what became of it. The worker makes them (`making`)."""

import re
import secrets
from datetime import UTC, timedelta

from sitewright.accounts.reports import store
from sitewright.accounts.reports.errors import JobNotFound, ReportFailed, TooManyReports
from sitewright.accounts.reports.links import link_to
from sitewright.accounts.reports.schemas import NewUserReport, UserReport, UserReportJob
from sitewright.accounts.reports.store import Told, Wanted
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.dates import from_instant, until_instant
from sitewright.kit.db import Transaction
from sitewright.kit.http.pending import Pending
from sitewright.kit.origin import Origin
from sitewright.settings import Settings
from sitewright.tenants.brands.schemas import BrandSettings

MOST_AT_ONCE = 20
"""Reports of one brand that may be waited for."""
LONGEST = timedelta(hours=1)
"""Nobody waits longer: what is not finished by then has failed."""
KEPT_FOR = timedelta(hours=1)
"""After it was finished."""
FAILURES_KEPT_FOR = timedelta(days=7)
_JOB = re.compile("[0-9]{1,19}-[0-9a-f]{32}")


async def ask_for_report(tx: Transaction, caller: Caller, brand: BrandSettings, asked: NewUserReport) -> UserReportJob:
    now = clock.now()
    if await store.count_pending(tx, now) >= MOST_AT_ONCE:
        raise TooManyReports(headers={"Retry-After": "10"})
    job = f"{brand.brand_ref}-{secrets.token_hex(16)}"
    wanted = Wanted(
        reseller_ref=asked.reseller_ref,
        created_from=None if asked.date_from is None else from_instant(asked.date_from, brand.time_zone),
        created_until=None if asked.date_to is None else until_instant(asked.date_to, brand.time_zone),
        show_deleted=asked.show_deleted,
    )
    ref = await store.insert_report(tx, job, secrets.token_bytes(32), wanted, now, now + LONGEST)
    await audit.record_by(tx, caller, "create", "user report", ref)
    return UserReportJob(job)


async def tell_report(tx: Transaction, job: str, settings: Settings, origin: Origin) -> UserReport | Pending:
    """`origin`: where the caller reached the service, since the link leads to the same place."""
    report = await find_report(tx, job)
    if report.failed:
        raise ReportFailed
    if report.expires_at is None:
        return Pending()
    expires = f"{report.expires_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return UserReport(expires, link_to(report.job, report.link_key, report.expires_at, settings, origin))


async def find_report(tx: Transaction, job: str) -> Told:
    report = await store.find_report(tx, job, clock.now()) if _JOB.fullmatch(job) else None
    if report is None:
        raise JobNotFound
    return report


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Finished reports that may hold the user go; those being made are begun anew."""
    await store.erase_user(tx, user_ref)
