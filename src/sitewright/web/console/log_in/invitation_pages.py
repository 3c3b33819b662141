"""`/console/invitation`: an invited person chooses user name and password, and is logged in."""

from sitewright.kit import tokens
from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, form_of, is_same_origin_form, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Conflict, Forbidden, Invalid, Problem, TooLarge
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse, parse_query
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.tenants.credentials.errors import InvitationNotUsable, OperatorExists
from sitewright.tenants.credentials.invitations import service as invitations
from sitewright.tenants.credentials.invitations.service import ACCEPT, Accepted, Invitation
from sitewright.web.console.frame.console_request import COOKIE
from sitewright.web.console.frame.messages import PASSWORD_LENGTH, messages_for
from sitewright.web.console.frame.navigation import CONSOLE
from sitewright.web.console.log_in import service, views
from sitewright.web.console.log_in.branding import find_brand
from sitewright.web.console.log_in.schemas import InvitationForm, InvitationQuery


async def show_invitation(request: Request, resources: Resources) -> Response:
    secret = parse_query(request.query).get("h", "")
    return await _page(request, resources, secret, {}, None)


async def accept(request: Request, resources: Resources) -> Response:
    values = form_of(request)
    if not is_same_origin_form(request):
        raise Forbidden
    secret, typed = values.get("h", ""), values.get("username", "")
    try:
        form = parse(InvitationForm, values)
        return await _accept(request, resources, form)
    except InvitationNotUsable:
        return await _page(request, resources, secret, {}, typed)
    except (Invalid, Conflict) as problem:
        return await _page(request, resources, secret, _errors(messages_for(request), problem), typed)


async def _accept(request: Request, resources: Resources, form: InvitationForm) -> Response:
    await _find(resources, form.h)  # before the password is hashed, which is slow
    brand_ref = tokens.brand_of(form.h) or 0
    password_hash = await resources.passwords.hash(form.password, brand_ref)
    accepted = Accepted(username=form.username.strip(), password_hash=password_hash)
    async with resources.database.transaction(brand_ref) as tx:
        ref = await invitations.accept(tx, brand_ref, form.h, accepted, request.context.request_id)
        secret = await sessions.begin(tx, brand_ref, ref, request.headers.get("user-agent", ""))
        await service.record(tx, ref, brand_ref, "log-in", request.context.request_id, by="invitation")
    request.context.caller, request.context.brand_ref = f"operator:{ref}", brand_ref
    return redirect(CONSOLE, COOKIE.written(request, secret, sessions.LIFETIME))


async def _find(resources: Resources, secret: str) -> Invitation:
    brand_ref = tokens.brand_of(secret)
    if brand_ref is None:
        raise InvitationNotUsable
    async with resources.database.transaction(brand_ref) as tx:
        return await invitations.find(tx, secret)


async def _page(
    request: Request, resources: Resources, secret: str, errors: dict[str, str], typed: str | None
) -> Response:
    messages = messages_for(request)
    brand = await find_brand(resources, request, tokens.brand_of(secret))
    try:
        invitation = await _find(resources, secret)
    except InvitationNotUsable:
        return views.invitation_not_usable_page(messages, brand)
    username = invitation.email if typed is None else typed[:255]
    status = 400 if errors else 200
    return views.invitation_page(messages, brand, secret, invitation.name, username, errors, status)


def _errors(messages: Messages, problem: Problem) -> dict[str, str]:
    if isinstance(problem, OperatorExists):
        return {"username": messages("username_taken")}
    fields = problem.errors or {"username": {}}
    return {
        name: messages("wrong_password" if name == "password" else "wrong_username", **PASSWORD_LENGTH)
        for name in fields
    }


PAGE = PublicRoute(
    path=ACCEPT,
    operation_id="showInvitation",
    summary="The page that a mailed invitation leads to.",
    description="Opening it does not use the invitation up.",
    query=InvitationQuery,
    responses={200: "The form.", 404: "A page: the link was used, has expired or is unknown.", **UNAVAILABLE},
    media_type=HTML,
    tag="console",
)
FORM = PublicRoute(
    method="POST",
    path=ACCEPT,
    operation_id="acceptInvitation",
    summary="Accept an invitation with a user name and a password, and log in.",
    description="The link of the invitation works once, within 7 days.",
    form=InvitationForm,
    responses={
        303: "Accepted and logged in; the session is a cookie.",
        400: "The form again: a field is invalid, or the user name is taken.",
        403: "A page: the form came from another site.",
        404: "A page: the link was used, has expired or is unknown.",
        415: "A page: the body is not a form.",
        **UNAVAILABLE,
    },
    media_type=HTML,
    tag="console",
    errors=(TooLarge,),
)
PAGES = [Page(PAGE, show_invitation, problem_page), Page(FORM, accept, problem_page)]
