"""`/console/catalogue/file`: system-owners load a catalogue file, see its plan, and apply it, as `sitewright catalogue`
does. A plan that has become stale is not applied."""

import asyncio
from typing import Annotated, Any

from sitewright.catalogue.file import service
from sitewright.catalogue.file.errors import InvalidCatalogue
from sitewright.catalogue.file.service import Planned, ReadFile
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.about import about
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.owner import NotTheOwner, owner_transaction
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CATALOGUE
from sitewright.web.console.frame.page_routes import SHOWN, DoneQuery, Form, form_route, page_route
from sitewright.web.console.frame.rendering import render

FILE = f"{CATALOGUE}/file"
YAML = "application/yaml"


class CatalogueFileForm(Form, frozen=True, kw_only=True):
    """A catalogue file: its text, or in `file` the file itself."""

    text: Annotated[str, about("The file as text (YAML).", "languages: []")] = ""


class ApplyForm(CatalogueFileForm, frozen=True, kw_only=True):
    """The same file again, and which plan of it was seen."""

    plan: Annotated[str, about("Identifies the plan that was shown.", "9f86d0")] = ""


async def show_form(request: ConsoleRequest, **values: Any) -> Response:
    done = parse_query(request.http_request.query).get("done")
    return render(
        request,
        "catalogue_file.html",
        values.pop("status", 200),
        done=request.messages("catalogue_done_applied") if done == "applied" else None,
        **{"text": "", "errors": [], "alert": None} | values,
    )


async def show_again(request: ConsoleRequest, problem: Problem) -> Response:
    if not isinstance(problem, NotTheOwner):
        raise problem
    alert = request.messages("problem_notTheOwner")
    return await show_form(request, text=_text(request) or "", alert=alert, status=problem.status)


async def export(request: ConsoleRequest) -> Response:
    async with owner_transaction(request.resources) as owner:
        text = await service.export(owner)
    headers = {"content-disposition": 'attachment; filename="catalogue.yaml"', "cache-control": "no-store"}
    return Response(200, text.encode(), headers, f"{YAML}; charset=utf-8")


async def plan(request: ConsoleRequest) -> Response:
    text = _text(request)
    if not text:
        return await show_form(request, alert=request.messages("catalogue_no_file"), status=400)
    try:
        file = await _read(request, text)
        async with owner_transaction(request.resources) as owner:
            planned = await service.plan_file(owner, file)
    except InvalidCatalogue as invalid:
        return await show_form(request, text=text, errors=invalid.errors, status=400)
    return _plan_page(request, text, planned)


async def apply(request: ConsoleRequest) -> Response:
    """Plans again in the transaction that applies: what is not the plan that was shown is refused."""
    text, seen = _text(request) or "", form_of(request.http_request).get("plan")
    try:
        file = await _read(request, text)
        async with owner_transaction(request.resources) as owner:
            planned = await service.plan_file(owner, file)
            if planned.digest == seen:
                await service.apply_changes(owner, planned, request.caller)
                return redirect(f"{FILE}?done=applied")
    except InvalidCatalogue as invalid:
        return await show_form(request, text=text, errors=invalid.errors, status=400)
    return _plan_page(request, text, planned, status=409, is_stale=True)


async def _read(request: ConsoleRequest, text: str) -> ReadFile:
    return await asyncio.to_thread(service.read_file, text, request.resources.mail.kinds)


def _plan_page(
    request: ConsoleRequest, text: str, planned: Planned, status: int = 200, *, is_stale: bool = False
) -> Response:
    changes = planned.changes
    counts = {action: sum(each.action == action for each in changes) for action in ("add", "change", "remove")}
    return render(
        request,
        "catalogue_plan.html",
        status,
        changes=changes,
        counts=counts,
        text=text,
        plan=planned.digest,
        is_stale=is_stale,
    )


def _text(request: ConsoleRequest) -> str | None:
    """Of the file, if one was chosen, else what was typed; None for a file that is not UTF-8."""
    form = form_of(request.http_request)
    content = form.get("file")
    if not isinstance(content, bytes):
        typed = form.get("text", "")
        return typed if isinstance(typed, str) else None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


NOT_ALLOWED = {403: "A page: only system-owners may do this."}
NO_OWNER = {409: "The page again: the database log-in of this node does not own the tables."}
EXPORT = PublicRoute(
    path=f"{FILE}.yaml",
    operation_id="exportCatalogue",
    summary="The catalogue of all brands as a file.",
    description="For system-owners who are logged in to the console: the same as `sitewright catalogue export`.",
    responses=SHOWN | NOT_ALLOWED | NO_OWNER | {200: "The file."},
    media_type=YAML,
    tag="console",
)
PAGES = [
    console_page(
        page_route(FILE, "showCatalogueFile", "The form that loads a catalogue file.", DoneQuery, NOT_ALLOWED),
        show_form,
        right=Right.SYSTEM,
        scope=Scope.NONE,
    ),
    console_page(EXPORT, export, right=Right.SYSTEM, scope=Scope.NONE),
    console_page(
        form_route(
            f"{FILE}/plan",
            "planCatalogue",
            "Show what a catalogue file would change, and change nothing.",
            CatalogueFileForm,
            {200: "The plan."} | NO_OWNER,
            has_files=True,
        ),
        plan,
        show_again,
        right=Right.SYSTEM,
        scope=Scope.NONE,
    ),
    console_page(
        form_route(
            f"{FILE}/apply",
            "applyCatalogue",
            "Apply a catalogue file, if its plan is still the one that was shown.",
            ApplyForm,
            {409: "The new plan: the catalogue was changed since. Or the page again: this node may not change it."},
            has_files=True,
        ),
        apply,
        show_again,
        right=Right.SYSTEM,
        scope=Scope.NONE,
    ),
]
