"""Reports and the pieces of their files, as rows. Times are the service's; what is past its end is not there."""

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
_MAY_HOLD_USER = (
    "r.brand_ref = current_brand() and u.brand_ref = r.brand_ref and u.ref = $1"
    " and (r.reseller_ref is null or r.reseller_ref = u.reseller_ref)"
    " and (r.created_from is null or u.created_at >= r.created_from)"
    " and (r.created_until is null or u.created_at < r.created_until)"
)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which users a report is about. `created_until` is the first instant that fits no more."""

    reseller_ref: int | None = None
    created_from: datetime | None = None
    created_until: datetime | None = None
    show_deleted: bool = False


class Told(msgspec.Struct, frozen=True):
    """What callers are told of a report."""

    ref: int
    job: str
    link_key: bytes
    created_at: datetime
    attempt: int
    expires_at: datetime | None
    bytes: int | None
    failed: bool


class Begun(msgspec.Struct, frozen=True):
    """An attempt to make a report."""

    attempt: int
    starts: int
    give_up_at: datetime
    wanted: Wanted


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
    tx: Transaction, job: str, link_key: bytes, wanted: Wanted, created_at: datetime, give_up_at: datetime
) -> int:
    ref: int = await tx.fetchval(
        "insert into user_reports (brand_ref, job, link_key, reseller_ref, created_from, created_until, show_deleted,"
        " created_at, give_up_at, due_at) values (current_brand(), $1, $2, $3, $4, $5, $6, $7, $8, $7) returning ref",
        job,
        link_key,
        wanted.reseller_ref,
        wanted.created_from,
        wanted.created_until,
        wanted.show_deleted,
        created_at,
        give_up_at,
    )
    return ref


async def count_pending(tx: Transaction, now: datetime) -> int:
    """Of the transaction's brand, while nobody else counts in order to add one."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('new user report', current_brand()))")
    count: int = await tx.fetchval(
        f"select count(*) from user_reports where brand_ref = current_brand() and {_PENDING} and give_up_at > $1",  # noqa: S608
        now,
    )
    return count


async def find_report(tx: Transaction, job: str, now: datetime) -> Told | None:
    row = await tx.fetchrow(
        "select ref, job, link_key, created_at, attempt, expires_at, bytes,"
        " failed_at is not null or (finished_at is null and give_up_at <= $2) from user_reports"
        " where brand_ref = current_brand() and job = $1 and (expires_at is null or expires_at > $2)",
        job,
        now,
    )
    return None if row is None else Told(*row)


async def claim(connection: Transaction, now: datetime, lease_until: datetime, most: int) -> list[Claimed]:
    """Across brands."""
    rows = await connection.fetch("select * from claim_due_user_reports($1, $2, $3)", now, lease_until, most)
    return claimed(rows, lease_until)


async def begin(tx: Transaction, ref: int, now: datetime) -> Begun | None:
    """A new attempt; what is left of older ones goes. Waits until those are anonymised who are just being so. None when
    there is nothing to make any more."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('user reports', current_brand()))")
    row = await tx.fetchrow(
        "update user_reports set attempt = attempt + 1"  # noqa: S608
        f" where brand_ref = current_brand() and ref = $1 and {_PENDING} and give_up_at > $2"
        " returning attempt, starts, give_up_at, reseller_ref, created_from, created_until, show_deleted",
        ref,
        now,
    )
    if row is None:
        return None
    await _delete_pieces(tx, ref)
    attempt, starts, give_up_at, reseller_ref, created_from, created_until, show_deleted = row
    wanted = Wanted(
        reseller_ref=reseller_ref, created_from=created_from, created_until=created_until, show_deleted=show_deleted
    )
    return Begun(attempt, starts, give_up_at, wanted)


async def add_piece(tx: Transaction, ref: int, attempt: int, number: int, piece: bytes) -> bool:
    """Whether the attempt is still the one that counts."""
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


async def finish(tx: Transaction, ref: int, attempt: int, size: int, now: datetime, expires_at: datetime) -> bool:
    """Whether the attempt was still the one that counts."""
    finished = await tx.execute(
        "update user_reports set finished_at = $4, expires_at = $5, bytes = $3, failure = null"  # noqa: S608
        f" where brand_ref = current_brand() and ref = $1 and attempt = $2 and {_PENDING} and give_up_at > $4",
        ref,
        attempt,
        size,
        now,
        expires_at,
    )
    return finished == "UPDATE 1"


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
    """Reports that may hold the user: those being made are begun anew, once the transaction is over, and finished ones
    go. In this order: one that is finished meanwhile is seen by the second statement."""
    await tx.execute("select pg_advisory_xact_lock_shared(hashtextextended('user reports', current_brand()))")
    await tx.execute(
        "update user_reports r set attempt = r.attempt + 1, starts = 0 from account_holders u"  # noqa: S608
        f" where {_MAY_HOLD_USER} and r.finished_at is null and r.failed_at is null",
        user_ref,
    )
    await tx.execute(
        f"delete from user_reports r using account_holders u where {_MAY_HOLD_USER} and r.finished_at is not null",  # noqa: S608
        user_ref,
    )


async def tidy(connection: Transaction, now: datetime, failed_before: datetime, most: int) -> bool:
    """What is past its end goes; what nobody finished in time has failed. Of all brands. Whether there may be more."""
    return await connection.fetchval("select tidy_user_reports($1, $2, $3)", now, failed_before, most) is True


async def list_reports(connection: Transaction, now: datetime, *, failed_only: bool, limit: int) -> list[ListedReport]:
    """The newest first, of all brands."""
    rows = await connection.fetch("select * from all_user_reports($1, $2, $3)", now, failed_only, limit)
    return [ListedReport(*row) for row in rows]


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """For how long the oldest report is due that no worker has claimed; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_user_report($1)", now)
    return overdue
