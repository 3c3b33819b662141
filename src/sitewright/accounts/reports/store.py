"""Reports and the pieces of their files. Times are those of the service's clock; expired reports are not found."""

from datetime import datetime, timedelta

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed

_PENDING = "finished_at is null and failed_at is null"
TABLE = WorkTable(
    name="user_reports",
    pending=_PENDING,
    attempts="starts",
    error="failure",
    done="due_at = t.due_at",  # a report is finished together with its file
    dead="failed_at = $3",
)
_MAY_CONTAIN_USER = (
    "r.brand_ref = current_brand() and u.brand_ref = r.brand_ref and u.ref = $1"
    " and (r.reseller_ref is null or r.reseller_ref = u.reseller_ref)"
    " and (r.created_from is null or u.created_at >= r.created_from)"
    " and (r.created_until is null or u.created_at < r.created_until)"
    " and (r.user_ref is null or r.user_ref = u.ref)"
)


class ReportCriteria(msgspec.Struct, frozen=True, kw_only=True):
    """Which users a report is about. `created_until` is exclusive."""

    reseller_ref: int | None = None
    created_from: datetime | None = None
    created_until: datetime | None = None
    show_deleted: bool = False


class FoundReport(msgspec.Struct, frozen=True):
    """The status of a report and what its link is made of."""

    ref: int
    job: str
    link_key: bytes
    created_at: datetime
    attempt: int
    expires_at: datetime | None
    bytes: int | None
    failed: bool


class Attempt(msgspec.Struct, frozen=True):
    """An attempt to generate a report. `number` is its fencing token."""

    number: int
    starts: int
    give_up_at: datetime
    criteria: ReportCriteria
    user_ref: int | None
    """Whose data is copied; None for a report."""


class ListedReport(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    created_at: datetime
    starts: int
    finished_at: datetime | None
    expires_at: datetime | None
    bytes: int | None
    failed_at: datetime | None
    failure: str | None


async def insert_report(
    tx: Transaction,
    job: str,
    link_key: bytes,
    criteria: ReportCriteria,
    created_at: datetime,
    give_up_at: datetime,
    requested_by: str,
    user_ref: int | None = None,
) -> int:
    """`requested_by` is the name of the caller. `user_ref`: it is the copy of that user's data."""
    ref: int = await tx.fetchval(
        "insert into user_reports (brand_ref, job, link_key, reseller_ref, created_from, created_until, show_deleted,"
        " created_at, give_up_at, due_at, requested_by, user_ref)"
        " values (current_brand(), $1, $2, $3, $4, $5, $6, $7, $8, $7, $9, $10) returning ref",
        job,
        link_key,
        criteria.reseller_ref,
        criteria.created_from,
        criteria.created_until,
        criteria.show_deleted,
        created_at,
        give_up_at,
        requested_by,
        user_ref,
    )
    return ref


async def count_pending(tx: Transaction, now: datetime) -> int:
    """The brand's pending reports, under an advisory lock, so that the limit holds for concurrent requests. Copies of
    account holders' data do not count."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('new user report', current_brand()))")
    count: int = await tx.fetchval(
        f"select count(*) from user_reports where brand_ref = current_brand() and {_PENDING} and give_up_at > $1"  # noqa: S608
        " and user_ref is null",
        now,
    )
    return count


async def find_report(tx: Transaction, job: str, now: datetime) -> FoundReport | None:
    row = await tx.fetchrow(
        "select ref, job, link_key, created_at, attempt, expires_at, bytes,"
        " failed_at is not null or (finished_at is null and give_up_at <= $2) from user_reports"
        " where brand_ref = current_brand() and job = $1 and (expires_at is null or expires_at > $2)"
        " and user_ref is null",
        job,
        now,
    )
    return None if row is None else FoundReport(*row)


async def claim(connection: Transaction, now: datetime, lease_until: datetime, limit: int) -> list[Claimed]:
    """Across brands."""
    rows = await connection.fetch("select * from claim_due_user_reports($1, $2, $3)", now, lease_until, limit)
    return claimed(rows, lease_until)


async def begin_attempt(tx: Transaction, ref: int, now: datetime) -> Attempt | None:
    """Begins a new attempt and deletes the pieces of older ones. Waits for transactions that anonymize users. None when
    the report is no longer pending."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('user reports', current_brand()))")
    row = await tx.fetchrow(
        "update user_reports set attempt = attempt + 1"  # noqa: S608
        f" where brand_ref = current_brand() and ref = $1 and {_PENDING} and give_up_at > $2"
        " returning attempt, starts, give_up_at, reseller_ref, created_from, created_until, show_deleted, user_ref",
        ref,
        now,
    )
    if row is None:
        return None
    await _delete_pieces(tx, ref)
    attempt, starts, give_up_at, reseller_ref, created_from, created_until, show_deleted, user_ref = row
    criteria = ReportCriteria(
        reseller_ref=reseller_ref, created_from=created_from, created_until=created_until, show_deleted=show_deleted
    )
    return Attempt(attempt, starts, give_up_at, criteria, user_ref)


async def add_piece(tx: Transaction, ref: int, attempt: int, number: int, piece: bytes) -> bool:
    """Whether the attempt is still the current one."""
    added = await tx.execute(
        "insert into user_report_pieces (brand_ref, report_ref, attempt, number, piece)"  # noqa: S608
        " select brand_ref, ref, attempt, $3, $4 from user_reports"
        f" where brand_ref = current_brand() and ref = $1 and attempt = $2 and {_PENDING}",
        ref,
        attempt,
        number,
        piece,
    )
    return added == "INSERT 0 1"


class FinishedReport(msgspec.Struct, frozen=True):
    job: str
    user_ref: int | None
    """The user whose data it is a copy of; None for a report about users."""
    bytes: int
    expires_at: datetime


async def finish(
    tx: Transaction, ref: int, attempt: int, size: int, now: datetime, expires_at: datetime
) -> FinishedReport | None:
    """None when the attempt is no longer the current one."""
    row = await tx.fetchrow(
        "update user_reports set finished_at = $4, expires_at = $5, bytes = $3, failure = null"  # noqa: S608
        f" where brand_ref = current_brand() and ref = $1 and attempt = $2 and {_PENDING} and give_up_at > $4"
        " returning job, user_ref, bytes, expires_at",
        ref,
        attempt,
        size,
        now,
        expires_at,
    )
    return None if row is None else FinishedReport(*row)


async def _delete_pieces(tx: Transaction, ref: int) -> None:
    await tx.execute("delete from user_report_pieces where brand_ref = current_brand() and report_ref = $1", ref)


async def read_piece(tx: Transaction, ref: int, attempt: int, number: int) -> bytes | None:
    piece: bytes | None = await tx.fetchval(
        "select piece from user_report_pieces"
        " where brand_ref = current_brand() and report_ref = $1 and attempt = $2 and number = $3",
        ref,
        attempt,
        number,
    )
    return piece


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Reports that may contain the user: pending ones are restarted after this transaction, finished ones are deleted.
    In this order: a report that is finished in between is seen by the second statement."""
    await tx.execute("select pg_advisory_xact_lock_shared(hashtextextended('user reports', current_brand()))")
    await tx.execute(
        "update user_reports r set attempt = r.attempt + 1, starts = 0 from account_holders u"  # noqa: S608
        f" where {_MAY_CONTAIN_USER} and r.finished_at is null and r.failed_at is null",
        user_ref,
    )
    await tx.execute(
        f"delete from user_reports r using account_holders u where {_MAY_CONTAIN_USER} and r.finished_at is not null",  # noqa: S608
        user_ref,
    )


async def clean_up(connection: Transaction, now: datetime, failed_before: datetime, limit: int) -> bool:
    """Deletes expired reports and fails those not finished in time, across brands. Whether there may be more."""
    return await connection.fetchval("select tidy_user_reports($1, $2, $3)", now, failed_before, limit) is True


async def list_reports(connection: Transaction, now: datetime, *, failed_only: bool, limit: int) -> list[ListedReport]:
    """The newest first, of all brands."""
    rows = await connection.fetch("select * from all_user_reports($1, $2, $3)", now, failed_only, limit)
    return [ListedReport(*row) for row in rows]


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """For how long the oldest report is due that no worker has claimed; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_user_report($1)", now)
    return overdue
