"""Render a template inside the shell of the console: the brand, the navigation, the operator and the log-out form."""

from typing import Any

from sitewright.kit.auth.caller import Role
from sitewright.kit.http.page import SAME_ORIGIN_REFERRER
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.messages import PASSWORD_LENGTH, TEMPLATES
from sitewright.web.console.frame.navigation import CONSOLE, navigation


def render(
    request: ConsoleRequest, template: str, status: int = 200, *, more_directives: str = "", **values: Any
) -> Response:
    """`more_directives` of the content security policy."""
    path = request.http_request.path
    return TEMPLATES.page(
        template,
        status,
        form_action="'self'",
        more_directives="; ".join(filter(None, ("connect-src 'self'", more_directives))),
        headers=SAME_ORIGIN_REFERRER,
        brand=request.brand,
        messages=request.messages,
        token=request.form_token,
        navigation=navigation(request.messages, request.role, request.brand_ref, path),
        operator_name=request.operator.name or request.operator.username,
        may_switch_brand=request.role is Role.SYSTEM_OWNER,
        **values,
    )


def form_not_ours_page(request: ConsoleRequest) -> Response:
    messages = request.messages
    return TEMPLATES.message(
        403,
        messages,
        messages("form_not_ours_title"),
        messages("form_not_ours"),
        brand=request.brand,
        headers={},
        sign="alert",
        link=(CONSOLE, messages("to_console")),
    )


def field_errors(request: ConsoleRequest, problem: Problem | None) -> dict[str, str]:
    """The message of each invalid field, in the operator's language."""
    messages = request.messages
    if problem is None:
        return {}
    if problem.errors:
        return {name: _field_error(request, name, next(iter(codes))) for name, codes in problem.errors.items()}
    key = f"problem_{problem.code}"
    return {"": messages(key) if key in messages else messages("problem")}


def _field_error(request: ConsoleRequest, name: str, code: str) -> str:
    messages = request.messages
    for key in (f"wrong_{code}", f"wrong_{name}"):
        if key in messages:
            return messages(key, **PASSWORD_LENGTH)
    return messages("wrong_field")
