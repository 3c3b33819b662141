"""`/console/reports`: the reports and data copies of the brand."""

from typing import Annotated, Any

from sitewright.accounts.reports.listing import service
from sitewright.accounts.reports.listing.service import Kind, ReportFilter, ReportRow, State, kind_of, state_of
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CUSTOMERS, REPORTS, RESELLERS
from sitewright.web.console.frame.sizes import size_text
from sitewright.web.console.lists.columns import NOTHING, Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

TONES: dict[State, Tone] = {"pending": "accent", "ready": "good", "failed": "bad"}


class ReportQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which reports to list."""

    kind: Annotated[Kind, about("A report about users, or the copy of one customer's data.", "report")] | None = None
    state: Annotated[State, about("`ready`: its file can be downloaded.", "ready")] | None = None


async def read(tx: Transaction, query: ReportQuery, page: PageRequest) -> Page[ReportRow]:
    return await service.list_reports(tx, ReportFilter(kind=query.kind, state=query.state), page)


async def more(request: ConsoleRequest) -> dict[str, Any]:
    return {"may_request": request.may(Right.CHANGE)}


def _kind(row: ReportRow, messages: Messages) -> Cell:
    text = messages(f"reports_kind_{kind_of(row)}")
    if row.user_ref is not None:
        return Cell(text=messages("reports_copy_of", ref=row.user_ref), href=f"{CUSTOMERS}/{row.user_ref}")
    if row.reseller_ref is not None:
        return Cell(text=messages("reports_of_reseller", ref=row.reseller_ref), href=f"{RESELLERS}/{row.reseller_ref}")
    return Cell(text=text, note=messages("reports_with_deleted") if row.show_deleted else None)


def _state(row: ReportRow, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"reports_state_{state}"), tone=TONES[state])


def _requester(row: ReportRow, messages: Messages) -> Cell:
    if row.requester_name is not None:
        return Cell(text=row.requester_name)
    return Cell(text=NOTHING if row.requested_by is None else messages("reports_by_program"))


def _size(row: ReportRow, messages: Messages) -> Cell:
    return Cell(text=NOTHING if row.bytes is None else size_text(row.bytes, messages))


def _file(row: ReportRow, messages: Messages) -> Cell:
    if row.bytes is None:
        return Cell(text=NOTHING)
    return Cell(text=messages("reports_download"), href=f"{REPORTS}/{row.job}/download")


LIST = ConsoleList(
    path=REPORTS,
    prefix="reports",
    name="Reports",
    summary="The reports and data copies of the brand.",
    query=ReportQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="kind", value=kind_of, show=_kind),
        Column(name="user", value=lambda row: row.user_ref, only_in="file"),
        Column(name="state", value=state_of, show=_state),
        Column(name="requested_by", value=lambda row: row.requester_name or row.requested_by, show=_requester),
        Column(name="created", value=lambda row: row.created_at),
        Column(name="expires", value=lambda row: row.expires_at),
        Column(name="size", value=lambda row: row.bytes, show=_size, is_number=True),
        Column(name="file", value=lambda row: row.job, show=_file, only_in="page"),
    ),
    filters=(
        Filter(name="kind", choices=("report", "dataCopy")),
        Filter(name="state", choices=tuple(TONES)),
    ),
    read=read,
    template="report_list.html",
    more=more,
)
PAGES = list_pages(LIST)
