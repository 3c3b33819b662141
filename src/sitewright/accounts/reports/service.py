"""User reports: requesting one, and its status. The worker generates them (`generation`)."""

import re
import secrets
from datetime import UTC, timedelta

from sitewright.accounts.reports import store
from sitewright.accounts.reports.errors import JobNotFound, ReportFailed, TooManyReports
from sitewright.accounts.reports.links import link_to
from sitewright.accounts.reports.schemas import NewUserReport, UserReport, UserReportJob
from sitewright.accounts.reports.store import FoundReport, ReportCriteria
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.dates import from_instant, until_instant
from sitewright.kit.db import Transaction
from sitewright.kit.http.pending import Pending
from sitewright.kit.origin import Origin
from sitewright.settings import Settings
from sitewright.tenants.brands.schemas import BrandSettings

MAX_PENDING = 20
"""Pending reports of one brand."""
TIME_LIMIT = timedelta(hours=1)
"""A report that is not finished by then has failed."""
RETENTION = timedelta(hours=1)
"""How long a finished report is kept."""
FAILURE_RETENTION = timedelta(days=7)
_JOB = re.compile("[0-9]{1,19}-[0-9a-f]{32}")


async def request_report(
    tx: Transaction, caller: Caller, brand: BrandSettings, request: NewUserReport
) -> UserReportJob:
    now = clock.now()
    if await store.count_pending(tx, now) >= MAX_PENDING:
        raise TooManyReports(headers={"Retry-After": "10"})
    job = f"{brand.brand_ref}-{secrets.token_hex(16)}"
    criteria = ReportCriteria(
        reseller_ref=request.reseller_ref,
        created_from=None if request.date_from is None else from_instant(request.date_from, brand.time_zone),
        created_until=None if request.date_to is None else until_instant(request.date_to, brand.time_zone),
        show_deleted=request.show_deleted,
    )
    ref = await store.insert_report(tx, job, secrets.token_bytes(32), criteria, now, now + TIME_LIMIT, caller.name)
    await audit.record_by(tx, caller, "create", "user report", ref)
    return UserReportJob(job)


async def get_report(tx: Transaction, job: str, settings: Settings, origin: Origin) -> UserReport | Pending:
    """`origin`: the address at which the client reached the service; the link has the same."""
    report = await find_report(tx, job)
    if report.failed:
        raise ReportFailed
    if report.expires_at is None:
        return Pending()
    expires = f"{report.expires_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return UserReport(expires, link_to(report.job, report.link_key, report.expires_at, settings, origin))


async def find_report(tx: Transaction, job: str) -> FoundReport:
    report = await store.find_report(tx, job, clock.now()) if _JOB.fullmatch(job) else None
    if report is None:
        raise JobNotFound
    return report


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Deletes finished reports that may contain the user, and restarts pending ones."""
    await store.erase_user(tx, user_ref)
