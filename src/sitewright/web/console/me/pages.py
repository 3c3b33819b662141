"""`/console/me`: an operator's own language, password and sessions."""

from sitewright.kit.auth.rights import Right
from sitewright.kit.http.devices import device_name
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.validation import parse, parse_query
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.tenants.credentials.operators import service as operators
from sitewright.tenants.credentials.second_factor import service as second_factor
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import COOKIE, ConsoleRequest
from sitewright.web.console.frame.messages import LANGUAGES, PASSWORD_LENGTH
from sitewright.web.console.frame.navigation import ME
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.me import second_factor_pages, service
from sitewright.web.console.me.schemas import LanguageForm, OwnPasswordForm

DONE = ("language", "password", "session", "sessions", "factor_removed")
PASSWORD_TARGET = f"{ME}/password"


async def show_me(request: ConsoleRequest) -> Response:
    done = parse_query(request.http_request.query).get("done")
    return await _page(request, done=done if done in DONE else None)


async def show_again(request: ConsoleRequest, problem: Problem, **_path_parameters: int) -> Response:
    return await _page(request, problem=problem)


async def show_password_again(request: ConsoleRequest, problem: Problem) -> Response:
    async with request.resources.database.transaction(request.operator.brand_ref) as tx:
        return await _page(request.within(tx), problem=problem)


async def set_language(request: ConsoleRequest) -> Response:
    language = parse(LanguageForm, form_of(request.http_request)).language
    if language not in LANGUAGES:
        raise Invalid.fields({"language": {"invalidLanguage": "is not a language of the console"}})
    await operators.set_language(request.tx, request.operator.ref, language)
    return _done("language")


async def change_password(request: ConsoleRequest) -> Response:
    form = parse(OwnPasswordForm, form_of(request.http_request))
    secret = await service.change_password(request, form)
    return redirect(f"{ME}?done=password", COOKIE.written(request.http_request, secret, sessions.LIFETIME))


async def end_session(request: ConsoleRequest, session_ref: int | None) -> Response:
    await sessions.end_one(request.tx, request.caller, request.operator.ref, session_ref or 0)
    return _done("session")


async def end_other_sessions(request: ConsoleRequest) -> Response:
    await sessions.end_others(request.tx, request.caller, request.operator.ref, request.session)
    return _done("sessions")


def _done(what: str) -> Response:
    return redirect(f"{ME}?done={what}")


async def _page(request: ConsoleRequest, *, done: str | None = None, problem: Problem | None = None) -> Response:
    messages, operator = request.messages, request.operator
    listed = await sessions.list_sessions(request.tx, operator.ref, request.session)
    errors = field_errors(request, problem)
    return render(
        request,
        "me.html",
        200 if problem is None else problem.status,
        operator=operator,
        languages=LANGUAGES,
        password_rule=messages("password_rule", **PASSWORD_LENGTH),
        recovery_codes=await second_factor.count_recovery_codes(request.tx, operator.ref),
        sessions=[
            {
                "ref": each.ref,
                "device": device_name(each.user_agent) or messages("unknown_device"),
                "since": messages.time(each.created_at),
                "is_current": each.is_current,
            }
            for each in listed
        ],
        done=None if done is None else messages(f"done_{done}"),
        errors=errors,
        alert=errors.get(""),
    )


NO_SESSION = {404: "A page: the operator has no such session."}
PAGES = [
    console_page(page_route(ME, "showOperator", "The operator's own page.", DoneQuery), show_me, scope=Scope.OPERATOR),
    console_page(
        form_route(f"{ME}/language", "setOperatorLanguage", "Choose the language of the console.", LanguageForm),
        set_language,
        show_again,
        right=Right.READ,
        scope=Scope.OPERATOR,
    ),
    console_page(
        form_route(
            PASSWORD_TARGET,
            "changeOperatorPassword",
            "Change the own password, which ends all other sessions.",
            OwnPasswordForm,
            {409: "The page again: the password was changed meanwhile.", 429: "The page again: too many attempts."},
        ),
        change_password,
        show_password_again,
        right=Right.READ,
        scope=Scope.NONE,
    ),
    console_page(
        form_route(f"{ME}/sessions/{{session_ref:int}}/end", "endConsoleSession", "End a session.", more=NO_SESSION),
        end_session,
        right=Right.READ,
        scope=Scope.OPERATOR,
    ),
    console_page(
        form_route(f"{ME}/sessions/end-others", "endOtherConsoleSessions", "End all other sessions."),
        end_other_sessions,
        right=Right.READ,
        scope=Scope.OPERATOR,
    ),
    *second_factor_pages.PAGES,
]
