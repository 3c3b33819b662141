"""`POST /console/customers/:userRef/log-in-as`: work in the account of an account holder, for an hour."""

from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.http.session_cookie import session_cookie, session_of
from sitewright.kit.problems import Problem
from sitewright.kit.tokens.operator_sessions import LIFETIME
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.messages import TEMPLATES
from sitewright.web.console.frame.navigation import CONSOLE
from sitewright.web.console.frame.page_routes import form_route
from sitewright.web.login.log_in_as import service
from sitewright.web.login.service import ACCOUNT

CUSTOMER = f"{CONSOLE}/customers/{{user_ref:int}}"


async def log_in_as(request: ConsoleRequest, user_ref: int | None) -> Response:
    http_request = request.http_request
    previous, user_agent = session_of(http_request) or "", http_request.headers.get("user-agent", "")
    secret = await service.begin(request.tx, request.caller, request.operator, user_ref or 0, previous, user_agent)
    return redirect(ACCOUNT, session_cookie(http_request, secret, LIFETIME))


async def explain(request: ConsoleRequest, user_ref: int | None, problem: Problem) -> Response:
    """Why nobody can log in as this account holder; one that does not exist has the page of any other address."""
    messages, key = request.messages, f"log_in_as_{problem.code}"
    if key not in messages:
        raise problem
    return TEMPLATES.message(
        problem.status,
        messages,
        messages("log_in_as_refused"),
        messages(key),
        brand=request.brand,
        headers={},
        sign="lock",
        link=(f"{CONSOLE}/customers/{user_ref}", messages("log_in_as_back")),
    )


PAGES = [
    console_page(
        form_route(
            f"{CUSTOMER}/log-in-as",
            "logInAsUser",
            "Log in as an account holder, for an hour.",
            more={
                303: "Logged in as the account holder, on their account page; or not logged in to the console.",
                403: "A page: the role does not allow it, the account holder is suspended, or the form was not on one"
                " of this session's pages.",
                404: "A page: the brand has no such account holder.",
                409: "A page: the account holder is deleted or anonymized.",
            },
        ),
        log_in_as,
        explain,
        right=Right.SUPPORT,
    ),
]
