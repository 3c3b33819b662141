"""The reports and data copies of a brand as its staff sees them, and their files."""

from typing import Literal

import msgspec

from sitewright.accounts.reports.errors import JobNotFound
from sitewright.accounts.reports.listing import store
from sitewright.accounts.reports.listing.store import ReportRow
from sitewright.accounts.reports.streaming import ZIP, File, stream
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.auth.rights import ROLES_WITH, Right
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.problems import Forbidden

__all__ = [
    "ZIP",
    "File",
    "Kind",
    "ReportFilter",
    "ReportRow",
    "State",
    "find_report",
    "kind_of",
    "list_reports",
    "open_file",
    "state_of",
    "stream",
]
Kind = Literal["report", "dataCopy"]
State = Literal["pending", "ready", "failed"]


class ReportFilter(msgspec.Struct, frozen=True, kw_only=True):
    kind: Kind | None = None
    state: State | None = None


async def list_reports(tx: Transaction, wanted: ReportFilter, page: PageRequest) -> Page[ReportRow]:
    """Without those that have expired."""
    return await store.list_reports(tx, clock.now(), wanted.kind, wanted.state, page)


async def find_report(tx: Transaction, job: str) -> ReportRow:
    found = await store.find_report(tx, job, clock.now())
    if found is None:
        raise JobNotFound
    return found


async def open_file(tx: Transaction, caller: Caller, brand_ref: int, report: ReportRow) -> File:
    """The file of a finished report or data copy, which is full of personal data: each download is recorded.

    A copy of all data of one person is for those who may request it.
    """
    if report.bytes is None:
        raise JobNotFound("The file is not finished yet.")
    kind = kind_of(report)
    if kind != "report" and caller.role not in ROLES_WITH[Right.CHANGE]:
        raise Forbidden(f"A {caller.role} may not download the copy of a customer's data.")
    subject, name = ("user report", "user-report") if kind == "report" else ("data export", "account-data")
    await audit.record_by(tx, caller, "download", subject, report.ref)
    return File(
        brand_ref=brand_ref,
        report_ref=report.ref,
        attempt=report.attempt,
        size=report.bytes,
        name=f"{name}-{report.created_at:%Y%m%d-%H%M%S}.zip",
    )


def kind_of(report: ReportRow) -> Kind:
    return "report" if report.user_ref is None else "dataCopy"


def state_of(report: ReportRow) -> State:
    if report.has_failed:
        return "failed"
    return "pending" if report.bytes is None else "ready"
