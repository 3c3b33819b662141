"""The event of a finished report."""

from datetime import datetime
from typing import Annotated

from sitewright.accounts.reports.store import FinishedReport
from sitewright.events import service as events
from sitewright.events.kinds import AccountHolderRef, EventBody, EventKind
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.timestamps import iso_utc


class ReportBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A report that can be downloaded."""

    report_ref: Annotated[int, about("The report's number.", 3)]
    job: Annotated[
        str | None,
        about(
            "For `GET /user-reports/:job`, which returns the link; null for the copy of one account's data.", "1-5f3a"
        ),
    ]
    account_holder: Annotated[
        AccountHolderRef | None, about("Whose data it is a copy of; null for a report about users.", None)
    ]
    bytes: Annotated[int, about("The size of the file.", 20480)]
    expires_at: Annotated[str, about("Until when it is kept.", "2026-01-31T13:00:00Z")]


REPORT_FINISHED = EventKind(
    name="report.finished",
    summary="A user report, or the copy of an account's data, can be downloaded.",
    body=ReportBody,
)
KINDS = (REPORT_FINISHED,)


async def emit_finished(tx: Transaction, ref: int, report: FinishedReport, at: datetime) -> None:
    body = ReportBody(
        report_ref=ref,
        job=report.job if report.user_ref is None else None,
        account_holder=None if report.user_ref is None else AccountHolderRef(report.user_ref),
        bytes=report.bytes,
        expires_at=iso_utc(report.expires_at),
    )
    await events.emit_many(tx, [REPORT_FINISHED.event(body, at)])
