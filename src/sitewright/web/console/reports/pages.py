"""`/console/reports`: requesting a report, and downloading the files, for operators who are logged in."""

from typing import NoReturn

import msgspec

from sitewright.accounts.reports import service as user_reports
from sitewright.accounts.reports.errors import JobNotFound
from sitewright.accounts.reports.listing import service
from sitewright.accounts.reports.listing.service import ZIP
from sitewright.accounts.reports.schemas import NewUserReport
from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.resellers.listing import service as reseller_list
from sitewright.accounts.resellers.listing.service import ResellerFilter
from sitewright.kit.auth.rights import Right
from sitewright.kit.dates import check_dates
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.ranges import RangeNotSatisfiable
from sitewright.kit.http.responses import Response
from sitewright.kit.keyset import PageRequest
from sitewright.kit.problems import Forbidden, Invalid, Problem, Unavailable
from sitewright.kit.validation import read_fields
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import REPORTS
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.reports import list_pages
from sitewright.web.console.reports.schemas import ReportForm

NEW = f"{REPORTS}/new"
MAX_RESELLERS = 1000
FIELDS = ("dateFrom", "dateTo", "resellerRef", "showDeleted")


async def show_form(request: ConsoleRequest) -> Response:
    return await _page(request)


async def request_report(request: ConsoleRequest) -> Response:
    values = {name: value for name, value in form_of(request.http_request).items() if value != ""}
    read, errors = read_fields(ReportForm, values)
    brand = await brands.settings_of_brand(request.tx)
    errors |= await resellers.check_reseller(request.tx, request.caller, read.get("reseller_ref"))
    errors |= check_dates(read, brand.time_zone)
    if errors:
        raise Invalid.fields(errors)
    wanted = NewUserReport(**{name: value for name, value in read.items() if name != "token"})
    await user_reports.request_report(request.tx, request.caller, brand, wanted)
    return redirect(f"{REPORTS}?done=requested")


async def show_again(request: ConsoleRequest, problem: Problem) -> Response:
    return await _page(request, problem)


async def download(request: ConsoleRequest, job: str) -> Response:
    """Streams the file outside of the transaction that finds it, so that a slow client holds no connection."""
    brand_ref = request.brand_ref or 0
    async with request.resources.database.transaction(brand_ref) as tx:
        report = await service.find_report(tx, job)
        file = await service.open_file(tx, request.caller, brand_ref, report)
    return service.stream(request.http_request, request.resources, file)


async def _page(request: ConsoleRequest, problem: Problem | None = None) -> Response:
    typed = {} if problem is None else form_of(request.http_request)
    errors = field_errors(request, problem)
    found = await reseller_list.list_resellers(
        request.tx, ResellerFilter(), PageRequest(sort="name", limit=MAX_RESELLERS)
    )
    return render(
        request,
        "report_new.html",
        200 if problem is None else problem.status,
        typed={name: str(typed.get(name, "")) for name in FIELDS},
        resellers=[(str(each.ref), each.name) for each in found.rows],
        errors=errors,
        alert=errors.get(""),
    )


DOWNLOAD = PublicRoute(
    path=f"{REPORTS}/{{job:str}}/download",
    operation_id="downloadReport",
    summary="Download a finished report or data copy.",
    description="For operators of the brand who are logged in to the console. One `Range` may be requested.",
    responses={200: "The zip archive.", 206: "The requested part.", 303: "Not logged in."},
    media_type=ZIP,
    tag="console",
    errors=(Forbidden, JobNotFound, RangeNotSatisfiable, Unavailable),
)


def _negotiate(_request: Request, problem: Problem) -> NoReturn:
    """Problems of a download are documents, or pages for browsers, as those of the API."""
    raise problem


PAGES = [
    *list_pages.PAGES,
    console_page(
        page_route(
            NEW, "showNewReport", "The form that requests a report.", more={403: "A page: the role does not allow it."}
        ),
        show_form,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            NEW,
            "requestReport",
            "Request a report about users.",
            ReportForm,
            {429: "The page again: too many reports."},
        ),
        request_report,
        show_again,
    ),
    msgspec.structs.replace(console_page(DOWNLOAD, download, scope=Scope.NONE), show_problem=_negotiate),
]
