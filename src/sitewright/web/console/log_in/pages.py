"""`/console/log-in`, `/console/code` and `/console/log-out`."""

import re
from typing import Any
from urllib.parse import quote

from sitewright.kit.auth.rate_limits import log_failure
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, form_of, is_same_origin_form, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Invalid, TooLarge
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse, parse_query
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.tenants.credentials.second_factor.service import Outcome
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import COOKIE, ConsoleRequest
from sitewright.web.console.frame.messages import messages_for
from sitewright.web.console.frame.navigation import CODE, CONSOLE, LOG_IN
from sitewright.web.console.frame.page_routes import form_route
from sitewright.web.console.log_in import invitation_pages, passwords, service, views
from sitewright.web.console.log_in.branding import find_brand
from sitewright.web.console.log_in.errors import FromElsewhere, LogInError, WrongCredentials
from sitewright.web.console.log_in.schemas import CodeForm, LogInQuery, OperatorLogInForm
from sitewright.web.login.log_in_as import service as log_in_as

_BACK = re.compile(r"/console(?:/[A-Za-z0-9/_-]{0,200})?(?:\?[A-Za-z0-9=&%+._~-]{0,1000})?")


async def show_log_in(request: Request, resources: Resources) -> Response:
    brand = await find_brand(resources, request)
    return views.log_in_page(messages_for(request), brand, _back(parse_query(request.query).get("r")))


async def log_in(request: Request, resources: Resources) -> Response:
    values: dict[str, Any] = {}
    try:
        is_trusted = await passwords.check_address(resources, request.origin.address)
        values = form_of(request)
        if not is_same_origin_form(request):
            raise FromElsewhere
        form = _log_in_form(request, values)
        attempt = passwords.Attempt(
            username=form.username,
            password=form.password,
            address=request.origin.address,
            request_id=request.context.request_id,
        )
        verified = await passwords.verify(resources, attempt, is_trusted=is_trusted)
        async with resources.database.transaction(verified.brand_ref) as tx:
            secret = await service.begin_by_password(tx, verified, _user_agent(request), request.context.request_id)
    except LogInError as error:
        brand, back = await find_brand(resources, request), _back(values.get("r"))
        return views.log_in_page(messages_for(request), brand, back, values.get("username", ""), error)
    request.context.caller, request.context.brand_ref = f"operator:{verified.operator_ref}", verified.brand_ref
    target = _back(form.r)
    if verified.has_second_factor:
        target = CODE + ("" if target is None else f"?r={quote(target, safe='/')}")
    return redirect(target or CONSOLE, COOKIE.written(request, secret, sessions.LIFETIME))


async def show_code(request: Request, resources: Resources) -> Response:
    return await _code_page(request, resources, _back(parse_query(request.query).get("r")))


async def enter_code(request: Request, resources: Resources) -> Response:
    values, secret = form_of(request), COOKIE.read(request) or ""
    back = _back(values.get("r"))
    if not is_same_origin_form(request) or not sessions.is_form_token(secret, None, values.get("token", "")):
        return await _code_page(request, resources, back, "came_from_elsewhere", 403)
    try:
        code = parse(CodeForm, values).code
    except Invalid:
        return await _code_page(request, resources, back, "wrong_code", 400)
    async with resources.database.transaction(sessions.brand_of(secret)) as tx:
        operator = await sessions.find_operator(tx, secret)
        if operator is None or not operator.awaits_code:
            return redirect(LOG_IN, COOKIE.removed(request))
        begun = await service.begin_by_code(
            tx, resources.sealer, operator, secret, code, _user_agent(request), request.context.request_id
        )
    request.context.caller, request.context.brand_ref = f"operator:{operator.ref}", operator.brand_ref
    if begun is Outcome.WRONG:
        log_failure(
            kind="console",
            reason="wrongCode",
            address=request.origin.address,
            request_id=request.context.request_id,
            caller=f"operator:{operator.ref}",
        )
        return await _code_page(request, resources, back, "wrong_code", 401)
    if isinstance(begun, Outcome):
        return await _code_page(request, resources, back, "too_many_codes", 429)
    return redirect(back or CONSOLE, COOKIE.written(request, begun, sessions.LIFETIME))


async def log_out(request: ConsoleRequest) -> Response:
    await log_in_as.end_with_console(request.http_request, request.resources)
    await service.log_out(request.tx, request.session, request.http_request.context.request_id)
    return redirect(LOG_IN, COOKIE.removed(request.http_request))


async def _code_page(
    request: Request, resources: Resources, back: str | None, alert: str | None = None, status: int = 200
) -> Response:
    secret = COOKIE.read(request) or ""
    async with resources.database.transaction(sessions.brand_of(secret)) as tx:
        operator = await sessions.find_operator(tx, secret)
    if operator is None or not operator.awaits_code:
        return redirect(LOG_IN)
    brand = await find_brand(resources, request, operator.brand_ref)
    messages = messages_for(request, operator.language_code)
    token = sessions.form_token(secret, None)
    return views.code_page(messages, brand, token, back, None if alert is None else messages(alert), status)


def _log_in_form(request: Request, values: dict[str, Any]) -> OperatorLogInForm:
    """Parse the form; impossible names and passwords are treated like wrong ones."""
    try:
        return parse(OperatorLogInForm, values)
    except Invalid:
        address, request_id = request.origin.address, request.context.request_id
        log_failure(kind="console", reason="malformed", address=address, request_id=request_id)
        raise WrongCredentials from None


def _back(r: str | None) -> str | None:
    """Only pages of the console."""
    return r if r and _BACK.fullmatch(r) else None


def _user_agent(request: Request) -> str:
    return request.headers.get("user-agent", "")


NOT_A_FORM = {415: "A page: the body is not a form."}
LOG_IN_PAGE = PublicRoute(
    path=LOG_IN,
    operation_id="showOperatorLogIn",
    summary="The log-in page of operators.",
    description="Brand staff and system-owners log in here.",
    query=LogInQuery,
    responses={200: "The log-in form.", **UNAVAILABLE},
    media_type=HTML,
    tag="console",
)
LOG_IN_FORM = PublicRoute(
    method="POST",
    path=LOG_IN,
    operation_id="logInOperator",
    summary="Log an operator in with user name and password.",
    description="Sent by the log-in form. Operators with a second factor enter a code next.",
    form=OperatorLogInForm,
    responses={
        303: "Logged in, or on to the one-time code; the session is a cookie.",
        401: "The page again: user name or password is wrong.",
        403: "The page again: the form came from another site.",
        429: "The page again: too many wrong attempts.",
        503: "A page: too many log-ins at once, or the database is temporarily unavailable.",
        **NOT_A_FORM,
    },
    media_type=HTML,
    tag="console",
    errors=(TooLarge,),
)
CODE_PAGE = PublicRoute(
    path=CODE,
    operation_id="showCodeForm",
    summary="The form for the one-time code.",
    description="For operators who have given their password and have a second factor.",
    query=LogInQuery,
    responses={200: "The form.", 303: "No log-in has begun.", **UNAVAILABLE},
    media_type=HTML,
    tag="console",
)
CODE_FORM = PublicRoute(
    method="POST",
    path=CODE,
    operation_id="enterCode",
    summary="Complete the log-in with a one-time code or a recovery code.",
    description="Each code works once. Five wrong ones within five minutes stop further attempts for that time.",
    form=CodeForm,
    responses={
        303: "Logged in; or no log-in has begun.",
        400: "The form again: the code is missing.",
        401: "The form again: the code is wrong.",
        403: "The form again: it came from another site.",
        429: "The form again: too many wrong codes.",
        **NOT_A_FORM,
        **UNAVAILABLE,
    },
    media_type=HTML,
    tag="console",
    errors=(TooLarge,),
)
PAGES = [
    Page(LOG_IN_PAGE, show_log_in, problem_page),
    Page(LOG_IN_FORM, log_in, problem_page),
    Page(CODE_PAGE, show_code, problem_page),
    Page(CODE_FORM, enter_code, problem_page),
    console_page(
        form_route(f"{CONSOLE}/log-out", "logOutOperator", "End the session of the console."),
        log_out,
        right=Right.READ,
        scope=Scope.OPERATOR,
        before_second_factor=True,
    ),
    *invitation_pages.PAGES,
]
