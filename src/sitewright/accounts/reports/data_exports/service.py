"""Requesting a copy of one's own data, and its file. The worker makes it (`generation`), and it is kept for an hour."""

import secrets

from sitewright.accounts.reports import store as reports
from sitewright.accounts.reports.data_exports import store
from sitewright.accounts.reports.data_exports.store import DataCopy
from sitewright.accounts.reports.service import TIME_LIMIT
from sitewright.accounts.reports.store import ReportCriteria
from sitewright.accounts.reports.streaming import ZIP, File, stream
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction

__all__ = ["ZIP", "DataCopy", "File", "find_copy", "find_file", "request_copy", "stream"]


async def find_copy(tx: Transaction, user_ref: int) -> DataCopy | None:
    return await store.find_newest(tx, user_ref, clock.now())


async def request_copy(tx: Transaction, caller: Caller, brand_ref: int, user_ref: int) -> None:
    """One copy at a time: while one is being made, nothing happens; a finished one is replaced.

    The caller has locked the user's row.
    """
    newest = await find_copy(tx, user_ref)
    if newest is not None and newest.is_pending:
        return
    await store.delete_copies(tx, user_ref)
    now = clock.now()
    job = f"{brand_ref}-{secrets.token_hex(16)}"
    ref = await reports.insert_report(
        tx, job, secrets.token_bytes(32), ReportCriteria(), now, now + TIME_LIMIT, caller.name, user_ref
    )
    await audit.record_by(tx, caller, "create", "data export", ref)


async def find_file(tx: Transaction, user_ref: int) -> File | None:
    """The file of the user's newest copy; None while it is not finished, and when it has expired."""
    found = await find_copy(tx, user_ref)
    if found is None or found.bytes is None:
        return None
    return File(
        brand_ref=found.brand_ref,
        report_ref=found.ref,
        attempt=found.attempt,
        size=found.bytes,
        name=f"account-data-{found.created_at:%Y%m%d-%H%M%S}.zip",
    )


async def open_file_of_customer(tx: Transaction, caller: Caller, user_ref: int) -> File | None:
    """As `find_file`, for staff: each download is recorded."""
    file = await find_file(tx, user_ref)
    if file is not None:
        await audit.record_by(tx, caller, "download", "data export", file.report_ref)
    return file
