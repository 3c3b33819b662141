from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

STATES = {
    "ready": "r.finished_at is not null",
    "failed": "(r.failed_at is not null or (r.finished_at is null and r.give_up_at <= $1))",
    "pending": "(r.finished_at is null and r.failed_at is null and r.give_up_at > $1)",
}
KINDS = {"report": "r.user_ref is null", "dataCopy": "r.user_ref is not null"}
_COLUMNS = """
r.ref, r.job, r.user_ref, r.reseller_ref, r.created_from, r.created_until, r.show_deleted, r.created_at,
r.expires_at, r.bytes, r.attempt, r.failed_at is not null or (r.finished_at is null and r.give_up_at <= $1),
r.requested_by, coalesce(o.username, h.username)
"""
_TABLES = """
user_reports r
left join operator_names o on o.brand_ref = r.brand_ref and r.requested_by = 'operator:' || o.ref
left join account_holders h on h.brand_ref = r.brand_ref and r.requested_by = 'user:' || h.ref
"""
_STORED = ("r.brand_ref = current_brand()", "(r.expires_at is null or r.expires_at > $1)")


class ReportRow(msgspec.Struct, frozen=True):
    ref: int
    job: str
    user_ref: int | None
    """Whose data was copied; None for a report."""
    reseller_ref: int | None
    created_from: datetime | None
    created_until: datetime | None
    show_deleted: bool
    created_at: datetime
    expires_at: datetime | None
    bytes: int | None
    attempt: int
    has_failed: bool
    requested_by: str | None
    requester_name: str | None
    """The user name of the operator or the account holder; None for others."""


async def list_reports(
    tx: Transaction, now: datetime, kind: str | None, state: str | None, page: PageRequest
) -> Page[ReportRow]:
    """Few: they are kept for an hour, and failed ones for days. `kind` is one of `KINDS`, `state` one of `STATES`."""
    wanted = [conditions[name] for conditions, name in ((KINDS, kind), (STATES, state)) if name is not None]
    statement = ListStatement(
        columns=_COLUMNS,
        tables=_TABLES,
        conditions=[*_STORED, *wanted],
        parameters=[now],
        keys={"ref": SortKey("r.ref")},
        ref="r.ref",
    )
    return (await read_page(tx, statement, page)).of(lambda row: ReportRow(*list(row)[:-2]))


async def find_report(tx: Transaction, job: str, now: datetime) -> ReportRow | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS} from {_TABLES} where {' and '.join(_STORED)} and r.job = $2",  # noqa: S608 - fixed parts
        now,
        job,
    )
    return None if row is None else ReportRow(*row)
