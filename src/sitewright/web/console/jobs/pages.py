"""`/console/jobs`: background jobs of all brands, for system-owners: which wait, run or failed, and retrying them."""

from typing import Annotated, Any

from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.jobs import service
from sitewright.kit.jobs.listing import service as listing
from sitewright.kit.jobs.listing.service import JobFilter, State, state_of
from sitewright.kit.jobs.listing.store import JobRow
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Text
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import JOBS
from sitewright.web.console.frame.page_routes import form_route
from sitewright.web.console.lists.columns import NOTHING, Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

TONES: dict[State, Tone] = {"waiting": "neutral", "running": "accent", "failed": "bad"}


class JobQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which jobs to list."""

    state: Annotated[State, about("`failed`: all attempts failed.", "failed")] | None = None
    kind: Annotated[str, Text(1, 200), about("The kind of job.", "mailbox")] | None = None


async def read(tx: Transaction, query: JobQuery, page: PageRequest) -> Page[JobRow]:
    return await listing.list_jobs(tx, JobFilter(state=query.state, kind=query.kind), page)


async def _kinds(request: ConsoleRequest) -> list[tuple[str, str]]:
    return [(kind, kind) for kind in await listing.list_kinds(request.tx)]


async def _more(request: ConsoleRequest) -> dict[str, Any]:
    return {"has_failed": await listing.has_failed(request.tx)}


def _state(row: JobRow, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"jobs_state_{state}"), tone=TONES[state])


def _retry(row: JobRow, messages: Messages) -> Cell:
    if state_of(row) != "failed":
        return Cell(text=NOTHING)
    return Cell(
        text=messages("jobs_retry"), action=f"{JOBS}/{row.ref}/retry", aria_label=messages("jobs_retry_of", ref=row.ref)
    )


async def retry(request: ConsoleRequest, job_id: int | None) -> Response:
    await service.retry_failed(request.tx, request.caller, job_id or 0)
    return redirect(f"{JOBS}?done=retried")


async def retry_all(request: ConsoleRequest) -> Response:
    await service.retry_failed(request.tx, request.caller, None)
    return redirect(f"{JOBS}?done=retried_all")


LIST = ConsoleList(
    path=JOBS,
    prefix="jobs",
    name="Jobs",
    summary="Background jobs that wait, run or failed.",
    query=JobQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="kind", value=lambda row: row.kind),
        Column(name="state", value=state_of, show=_state),
        Column(name="attempts", value=lambda row: row.attempts, is_number=True),
        Column(name="created", value=lambda row: row.created_at),
        Column(name="due", value=lambda row: row.due_at),
        Column(name="reason", value=lambda row: row.reason),
        Column(name="action", value=lambda _row: None, show=_retry, only_in="page"),
    ),
    filters=(Filter(name="state", choices=("waiting", "running", "failed")), Filter(name="kind", options=_kinds)),
    read=read,
    right=Right.SYSTEM,
    scope=Scope.OPERATOR,
    template="jobs.html",
    more=_more,
)
PAGES = [
    *list_pages(LIST),
    console_page(
        form_route(
            f"{JOBS}/{{job_id:int}}/retry",
            "retryJob",
            "Run a failed job again.",
            more={404: "A page: there is no such failed job."},
        ),
        retry,
        right=Right.SYSTEM,
        scope=Scope.OPERATOR,
    ),
    console_page(
        form_route(f"{JOBS}/retry", "retryAllJobs", "Run all failed jobs again."),
        retry_all,
        right=Right.SYSTEM,
        scope=Scope.OPERATOR,
    ),
]
