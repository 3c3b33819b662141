"""Pages for logged-in account holders. Other visitors are redirected to the log-in page, and back after the log-in."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import msgspec

from sitewright.accounts.resellers import service as resellers
from sitewright.edge.messages import service as contact_messages
from sitewright.kit import tokens
from sitewright.kit.db import Transaction
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import Page, form_of, is_same_origin_form, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.http.session_cookie import no_session_cookie, session_of
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.kit.retries import retry_stale
from sitewright.kit.tokens.operator_sessions import is_operator_session
from sitewright.tenants.brands import service as brands
from sitewright.tenants.credentials.console_sessions.service import SessionOperator
from sitewright.web.account.errors import InvalidFormToken, PageError
from sitewright.web.account.formatting import CATALOG
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.views import error_page
from sitewright.web.login import service as login
from sitewright.web.login.log_in_as import service as log_in_as
from sitewright.web.login.log_in_as.service import CONSOLE
from sitewright.web.login.service import ACCOUNT, log_in_path

T = TypeVar("T")
Function = Callable[..., Awaitable[Response]]
Work = Callable[[], Awaitable[Any]]
Prepare = Callable[..., Awaitable[Response | Work]]
_session_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
_PLAIN_QUERY = re.compile(r"[A-Za-z0-9=&%+._~-]{1,1000}")


def authenticated_page(
    route: PublicRoute, function: Function, on_problem: Function | None = None, prepare: Prepare | None = None
) -> Page:
    """Create a page whose `function` takes the request and the path's parameters.

    `on_problem` shows the page with the problem when a service rejects the form. `prepare` returns a response, or slow
    work to run outside of any transaction. The result of the work is passed to `function` as `prepared`; if `function`
    raises `Stale`, both run again.
    """

    async def attempt(http_request: Request, resources: Resources, path_parameters: dict[str, Any]) -> Response:
        if prepare is None:
            return await _handle(http_request, resources, partial(function, **path_parameters))
        work = await _handle(http_request, resources, partial(prepare, **path_parameters))
        if isinstance(work, Response):
            return work
        prepared = await _run_serially(http_request, work)
        return await _handle(http_request, resources, partial(function, prepared=prepared, **path_parameters))

    async def respond(http_request: Request, resources: Resources, **path_parameters: Any) -> Response:
        try:
            return await retry_stale(partial(attempt, http_request, resources, path_parameters))
        except Problem as problem:
            if on_problem is None or problem.status >= 500:
                raise
            return await _handle(http_request, resources, partial(on_problem, problem=problem, **path_parameters))

    return Page(route, respond, problem_page)


async def _handle(
    http_request: Request, resources: Resources, function: Callable[[PageRequest], Awaitable[Response | T]]
) -> Response | T:
    async with session_request(http_request, resources) as request:
        if request is None:
            return _to_log_in(http_request)
        try:
            _check_form(request)
            return await function(await _with_unread(request))
        except PageError as error:  # raised before anything was changed
            return error_page(request, error)


@asynccontextmanager
async def session_request(http_request: Request, resources: Resources) -> AsyncIterator[PageRequest | None]:
    """The request of the session's user, in a transaction of their brand; None where nobody is logged in."""
    session = session_of(http_request) or ""
    brand_ref = tokens.brand_of(session)
    if brand_ref is None:
        yield None
        return
    operator = await log_in_as.find_operator(http_request, resources, session)
    async with resources.database.transaction(brand_ref) as tx:
        yield await _begin(http_request, resources, tx, session, operator)


async def _with_unread(request: PageRequest) -> PageRequest:
    """Count unread messages for the navigation: one indexed statement, which stops at the highest number shown."""
    unread = await contact_messages.count_unread(request.tx, request.holder.user_ref)
    return msgspec.structs.replace(request, unread_messages=unread)


async def _run_serially(http_request: Request, work: Work) -> Any:
    """Run the work of one session serially, so that concurrent requests of one user do not delay others."""
    session = session_of(http_request) or ""
    lock = _session_locks.get(session)
    if lock is None:
        lock = _session_locks[session] = asyncio.Lock()
    async with lock:
        return await work()


async def _begin(
    http_request: Request, resources: Resources, tx: Transaction, session: str, operator: SessionOperator | None
) -> PageRequest | None:
    log_in = await log_in_as.find_log_in(tx, session, operator) if is_operator_session(session) else None
    holder = await login.find_session_user(tx, session) if log_in is None else log_in.user
    if holder is None:
        return None
    reseller = await resellers.find_branding(tx, holder.reseller_ref)
    own_brand = await brands.settings_of_brand(tx)
    brand = resellers.with_branding(own_brand, reseller)
    banner = None if log_in is None else log_in_as.banner_of(log_in, own_brand.name, session)
    context = http_request.context
    context.brand, context.brand_ref, context.banner = brand, brand.brand_ref, banner
    accepted = http_request.headers.get("accept-language", "")
    messages = CATALOG.messages_for(holder.language_code, brand.language_codes, accepted)
    request = PageRequest(
        http_request=http_request,
        resources=resources,
        tx=tx,
        session=session,
        holder=holder,
        brand=brand,
        reseller=reseller,
        messages=messages,
        operator_ref=None if log_in is None else log_in.operator.ref,
        banner=banner,
    )
    context.caller = request.caller.name
    return request


def _check_form(request: PageRequest) -> None:
    """Reject cross-site form posts by origin and by the session's form token (CSRF protection)."""
    if request.http_request.context.method != "POST":
        return
    check_form_token(request, form_of(request.http_request).get("token", ""))


def check_form_token(request: PageRequest, token: str) -> None:
    if not is_same_origin_form(request.http_request) or not login.is_form_token(request.session, token):
        raise InvalidFormToken


def _to_log_in(http_request: Request) -> Response:
    session = session_of(http_request)
    if session is not None and is_operator_session(session):
        return redirect(CONSOLE, no_session_cookie(http_request))
    back = ACCOUNT if http_request.context.method == "POST" else http_request.path
    query = http_request.query.decode("latin-1")
    if back != ACCOUNT and _PLAIN_QUERY.fullmatch(query):
        back += f"?{query}"
    address = log_in_path(tokens.brand_of(session or ""), back)
    return redirect(address, no_session_cookie(http_request) if session else None)
