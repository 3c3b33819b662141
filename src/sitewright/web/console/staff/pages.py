"""`/console/staff`: who works for the brand, invitations, roles and removal."""

from sitewright.kit import clock
from sitewright.kit.auth.caller import STAFF_ROLES
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.origin import service_url
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query
from sitewright.tenants.credentials.invitations import service as invitations
from sitewright.tenants.credentials.invitations.service import NewInvitation
from sitewright.tenants.credentials.operators import service as operators
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import STAFF
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.staff.schemas import InviteForm, RoleForm

DONE = ("invited", "withdrawn", "role", "removed")
OPERATOR = f"{STAFF}/{{operator_ref:int}}"


async def show_staff(request: ConsoleRequest) -> Response:
    done = parse_query(request.http_request.query).get("done")
    return await _page(request, done=done if done in DONE else None)


async def show_again(request: ConsoleRequest, problem: Problem, **_path_parameters: int) -> Response:
    """With the problem and what was typed; what does not exist has the page of any other address."""
    if problem.status == 404:
        raise problem
    return await _page(request, problem=problem)


async def invite(request: ConsoleRequest) -> Response:
    form = parse(InviteForm, form_of(request.http_request))
    wanted = NewInvitation(name=form.name.strip(), email=form.email.strip(), role=form.role)
    resources, brand_ref = request.resources, request.brand_ref or 0
    url = service_url(resources.settings, request.http_request.origin)
    await invitations.invite(request.tx, resources.sealer, request.caller, brand_ref, wanted, url)
    return _done("invited")


async def withdraw(request: ConsoleRequest, invitation_ref: int | None) -> Response:
    await invitations.withdraw(request.tx, request.caller, invitation_ref or 0)
    return _done("withdrawn")


async def change_role(request: ConsoleRequest, operator_ref: int | None) -> Response:
    await operators.find_operator(request.tx, operator_ref or 0)
    role = parse(RoleForm, form_of(request.http_request)).role
    await operators.change_role(request.tx, request.caller, operator_ref or 0, role)
    return _done("role")


async def confirm_removal(request: ConsoleRequest, operator_ref: int | None) -> Response:
    """Ask once, and say what is lost."""
    operator = await operators.find_operator(request.tx, operator_ref or 0)
    return render(request, "remove_operator.html", removed=operator, name=operator.name or operator.username)


async def remove(request: ConsoleRequest, operator_ref: int | None) -> Response:
    await operators.remove(request.tx, request.caller, operator_ref or 0)
    return _done("removed")


def _done(what: str) -> Response:
    return redirect(f"{STAFF}?done={what}")


async def _page(request: ConsoleRequest, *, done: str | None = None, problem: Problem | None = None) -> Response:
    messages, now = request.messages, clock.now()
    typed = form_of(request.http_request) if problem is not None else {}
    errors = field_errors(request, problem)
    return render(
        request,
        "staff.html",
        200 if problem is None else problem.status,
        may_change=request.may(Right.CHANGE),
        own_ref=request.operator.ref,
        roles=STAFF_ROLES,
        staff=await operators.list_operators(request.tx),
        invitations=[
            {"invitation": each, "expires": messages.time(each.expires_at), "is_expired": each.expires_at <= now}
            for each in await invitations.list_invitations(request.tx)
        ],
        done=None if done is None else messages(f"staff_done_{done}"),
        errors=errors,
        alert=errors.get(""),
        typed={name: typed.get(name, "") for name in ("name", "email", "role")},
    )


NOT_ALLOWED = {403: "A page: the role does not allow it."}
NO_OPERATOR = {404: "A page: the brand has no such operator."}
LAST = {409: "The page again: the last brand-admin of a brand stays."}
PAGES = [
    console_page(
        page_route(STAFF, "showStaff", "The staff of the brand, and open invitations.", DoneQuery), show_staff
    ),
    console_page(
        form_route(
            f"{STAFF}/invitations",
            "inviteOperator",
            "Invite a person by email.",
            InviteForm,
            {409: "The page again: there are too many operators."},
        ),
        invite,
        show_again,
    ),
    console_page(
        form_route(
            f"{STAFF}/invitations/{{invitation_ref:int}}/withdraw",
            "withdrawInvitation",
            "Withdraw an invitation.",
            more={404: "A page: the brand has no such invitation."},
        ),
        withdraw,
    ),
    console_page(
        form_route(
            f"{OPERATOR}/role", "changeOperatorRole", "Change the role of an operator.", RoleForm, NO_OPERATOR | LAST
        ),
        change_role,
        show_again,
    ),
    console_page(
        page_route(
            f"{OPERATOR}/remove",
            "confirmOperatorRemoval",
            "Ask whether to remove an operator.",
            more=NO_OPERATOR | NOT_ALLOWED,
        ),
        confirm_removal,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{OPERATOR}/remove", "removeStaff", "Remove an operator.", more=NO_OPERATOR | LAST),
        remove,
        show_again,
    ),
]
