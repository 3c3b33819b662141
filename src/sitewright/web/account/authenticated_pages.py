"""Pages for logged-in account holders; others are redirected to the log-in and back."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote
from weakref import WeakValueDictionary

from sitewright.accounts.resellers import service as resellers
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
from sitewright.tenants.brands import service as brands
from sitewright.web.account.errors import InvalidFormToken, PageError
from sitewright.web.account.formatting import CATALOG
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.views import error_page
from sitewright.web.login import service as login
from sitewright.web.login.service import ACCOUNT, LOG_IN

T = TypeVar("T")
Function = Callable[..., Awaitable[Response]]
Work = Callable[[], Awaitable[Any]]
Before = Callable[..., Awaitable[Response | Work]]
_session_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
_PLAIN_QUERY = re.compile(r"[A-Za-z0-9=&%+._~-]{1,1000}")


def authenticated_page(
    route: PublicRoute, function: Function, again: Function | None = None, before: Before | None = None
) -> Page:
    """Create a page whose `function` takes the request and the path's parameters.

    `again` shows the page with the problem when a service rejects the form. `before` returns a response, or work to
    run outside of any transaction; its result is passed as `prepared`, and is renewed when `function` finds it stale.
    """

    async def attempt(http_request: Request, resources: Resources, refs: dict[str, Any]) -> Response:
        if before is None:
            return await _handle(http_request, resources, partial(function, **refs))
        work = await _handle(http_request, resources, partial(before, **refs))
        if isinstance(work, Response):
            return work
        prepared = await _run_serially(http_request, work)
        return await _handle(http_request, resources, partial(function, prepared=prepared, **refs))

    async def answer(http_request: Request, resources: Resources, **refs: Any) -> Response:
        try:
            return await retry_stale(partial(attempt, http_request, resources, refs))
        except Problem as problem:
            if again is None or problem.status >= 500:
                raise
            return await _handle(http_request, resources, partial(again, problem=problem, **refs))

    return Page(route, answer, problem_page)


async def _handle(
    http_request: Request, resources: Resources, function: Callable[[PageRequest], Awaitable[Response | T]]
) -> Response | T:
    session = session_of(http_request) or ""
    brand_ref = tokens.brand_of(session)
    if brand_ref is None:
        return _to_log_in(http_request, session)
    async with resources.database.transaction(brand_ref) as tx:
        request = await _begin(http_request, resources, tx, session)
        if request is None:
            return _to_log_in(http_request, session)
        try:
            _check_form(request)
            return await function(request)
        except PageError as error:  # raised before anything was changed
            return error_page(request, error)


async def _run_serially(http_request: Request, work: Work) -> Any:
    """Run the work of one session serially, so that concurrent requests of one user do not delay others."""
    session = session_of(http_request) or ""
    lock = _session_locks.get(session)
    if lock is None:
        lock = _session_locks[session] = asyncio.Lock()
    async with lock:
        return await work()


async def _begin(http_request: Request, resources: Resources, tx: Transaction, session: str) -> PageRequest | None:
    holder = await login.find_session_user(tx, session)
    if holder is None:
        return None
    reseller = await resellers.find_branding(tx, holder.reseller_ref)
    brand = resellers.with_branding(await brands.settings_of_brand(tx), reseller)
    http_request.context.brand_ref, http_request.context.caller = brand.brand_ref, f"user:{holder.user_ref}"
    accepted = http_request.headers.get("accept-language", "")
    messages = CATALOG.messages_for(holder.language_code, brand.language_codes, accepted)
    return PageRequest(
        http_request=http_request,
        resources=resources,
        tx=tx,
        session=session,
        holder=holder,
        brand=brand,
        reseller=reseller,
        messages=messages,
    )


def _check_form(request: PageRequest) -> None:
    """Reject cross-site form posts by origin and by the session's form token (CSRF protection)."""
    if request.http_request.context.method != "POST":
        return
    token = form_of(request.http_request).get("token", "")
    if not is_same_origin_form(request.http_request) or not login.is_form_token(request.session, token):
        raise InvalidFormToken


def _to_log_in(http_request: Request, session: str) -> Response:
    back = ACCOUNT if http_request.context.method == "POST" else http_request.path
    query = http_request.query.decode("latin-1")
    if back != ACCOUNT and _PLAIN_QUERY.fullmatch(query):
        back += f"?{query}"
    return redirect(f"{LOG_IN}?r={quote(back, safe='/')}", no_session_cookie(http_request) if session else None)
