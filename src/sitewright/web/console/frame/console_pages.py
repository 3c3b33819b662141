"""Pages for operators who are logged in. Others are redirected to the log-in page, and back afterwards.

A page declares the right that it requires, as endpoints of the API do. Forms need the token of the session and brand.
"""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any
from urllib.parse import quote

from sitewright.kit.auth.caller import Role
from sitewright.kit.auth.rights import Right, default_right
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import Page, form_of, is_same_origin_form, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Forbidden, Problem
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.tenants.credentials.console_sessions.service import SessionOperator
from sitewright.web.console.frame.console_request import COOKIE, ConsoleRequest
from sitewright.web.console.frame.messages import messages_for
from sitewright.web.console.frame.navigation import CODE, CONSOLE, LOG_IN, SECOND_FACTOR
from sitewright.web.console.frame.rendering import form_not_ours_page

Function = Callable[..., Awaitable[Response]]
_PLAIN_QUERY = re.compile(r"[A-Za-z0-9=&%+._~-]{1,1000}")


class Scope(Enum):
    """The transaction that a page's function runs in."""

    BRAND = "that of the brand; system-owners choose one first"
    OPERATOR = "that of the operator's own brand, which a system-owner has none of"
    NONE = "none: the function does slow work, or opens its own"


def console_page(
    route: PublicRoute,
    function: Function,
    on_problem: Function | None = None,
    *,
    right: Right | None = None,
    scope: Scope = Scope.BRAND,
    before_second_factor: bool = False,
) -> Page:
    """Create a page whose `function` takes the request and the path's parameters.

    `right`: by default, GET requires to read and POST to change. `on_problem` shows the page with the problem when a
    service rejects the form. `before_second_factor`: the page is for operators who still have to set up the required
    second factor.
    """
    required = right or default_right(route.method)

    async def respond(http_request: Request, resources: Resources, **path_parameters: Any) -> Response:
        found = await _identify(http_request, resources)
        if isinstance(found, Response):
            return found
        refused = _refuse(found, required, scope, before_second_factor=before_second_factor)
        if refused is not None:
            return refused
        try:
            return await _in_transaction(found, scope, partial(function, **path_parameters))
        except Problem as problem:
            if on_problem is None or problem.status >= 500:
                raise
            return await _in_transaction(found, scope, partial(on_problem, problem=problem, **path_parameters))

    return Page(route, respond, problem_page)


def _refuse(request: ConsoleRequest, right: Right, scope: Scope, *, before_second_factor: bool) -> Response | None:
    """None if the operator may use the page."""
    if _lacks_second_factor(request) and not before_second_factor:
        return redirect(SECOND_FACTOR)
    if not request.may(right):
        raise Forbidden(f"A {request.role} may not do this.")
    if request.http_request.context.method == "POST" and not _is_own_form(request):
        return form_not_ours_page(request)
    return redirect(CONSOLE) if scope is Scope.BRAND and request.brand is None else None


async def _identify(http_request: Request, resources: Resources) -> ConsoleRequest | Response:
    secret = COOKIE.read(http_request)
    if not secret:
        return _to_log_in(http_request, None)
    async with resources.database.transaction(sessions.brand_of(secret)) as tx:
        operator = await sessions.find_operator(tx, secret)
    if operator is None:
        return _to_log_in(http_request, COOKIE.removed(http_request))
    if operator.awaits_code:
        return redirect(CODE)
    brand = await _find_brand(resources, operator)
    context = http_request.context
    context.brand, context.brand_ref = brand, None if brand is None else brand.brand_ref
    context.caller = f"operator:{operator.ref}"
    return ConsoleRequest(
        http_request=http_request,
        resources=resources,
        session=secret,
        operator=operator,
        brand=brand,
        messages=messages_for(http_request, operator.language_code),
    )


async def _find_brand(resources: Resources, operator: SessionOperator) -> BrandSettings | None:
    brand_ref = operator.brand_ref
    if operator.role == Role.SYSTEM_OWNER:
        brand_ref = operator.chosen_brand_ref
    if brand_ref is not None:
        with suppress(BrandNotFound):
            async with resources.database.transaction(brand_ref) as tx:
                return await brands.settings_of_brand(tx)
    return None


async def _in_transaction(
    request: ConsoleRequest, scope: Scope, function: Callable[[ConsoleRequest], Awaitable[Response]]
) -> Response:
    if scope is Scope.NONE:
        return await function(request)
    brand_ref = request.brand_ref if scope is Scope.BRAND else request.operator.brand_ref
    async with request.resources.database.transaction(brand_ref) as tx:
        return await function(request.within(tx))


def _lacks_second_factor(request: ConsoleRequest) -> bool:
    is_required = request.resources.settings.console_second_factor == "required"
    return is_required and not request.operator.has_second_factor


def _is_own_form(request: ConsoleRequest) -> bool:
    """Reject cross-site form posts by origin and by the token (CSRF protection)."""
    sent = form_of(request.http_request).get("token")
    is_token = isinstance(sent, str) and sessions.is_form_token(request.session, request.brand_ref, sent)
    return is_token and is_same_origin_form(request.http_request)


def _to_log_in(http_request: Request, remove_cookie: str | None) -> Response:
    back = CONSOLE if http_request.context.method == "POST" else http_request.path
    query = http_request.query.decode("latin-1")
    if back != CONSOLE and _PLAIN_QUERY.fullmatch(query):
        back += f"?{query}"
    suffix = "" if back == CONSOLE else f"?r={quote(back, safe='/')}"
    return redirect(f"{LOG_IN}{suffix}", remove_cookie)
