"""Calls of the editor's script: authenticated by the session cookie, protected by the session's form token (CSRF)."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import msgspec

from sitewright.kit.http.call import FORM, Request, plain_body
from sitewright.kit.http.public import PublicHandler
from sitewright.kit.http.responses import Response, json_response
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.kit.retries import retry_stale
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.web.account.errors import InvalidFormToken, OwnSiteNotFound, PageError
from sitewright.web.account.holder_pages.service import (
    PageRequest,
    Work,
    check_form_token,
    describe_problem,
    session_request,
)
from sitewright.web.editor.errors import FormTokenRejected, NotLoggedIn
from sitewright.web.editor.messages import messages_of

Function = Callable[..., Awaitable[msgspec.Struct | None]]
Prepare = Callable[..., Awaitable[Work]]
T = TypeVar("T")
TOKEN_HEADER = "x-form-token"  # noqa: S105 - the name of a header


class SessionCall(PublicHandler, frozen=True, kw_only=True):
    """A route whose `function` takes the request and the path's parameters, in one transaction.

    `prepare` returns slow work, which runs outside of any transaction; `function` gets its result as `prepared`. If
    `function` raises `Stale`, both run again.
    """

    function: Function
    prepare: Prepare | None = None
    streams_body: bool = False

    async def handle(self, request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response:
        if self.prepare is None:
            value = await _in_session(request, resources, partial(self.function, **path_parameters))
        else:
            value = await retry_stale(partial(self._prepared, self.prepare, request, path_parameters, resources))
        return json_response(value, 204 if value is None else 200, {})

    async def _prepared(
        self, prepare: Prepare, request: Request, path_parameters: dict[str, Any], resources: Resources
    ) -> msgspec.Struct | None:
        work = await _in_session(request, resources, partial(prepare, **path_parameters))
        prepared = await _translated(request, resources, work)
        return await _in_session(request, resources, partial(self.function, prepared=prepared, **path_parameters))


async def _in_session(
    http_request: Request, resources: Resources, function: Callable[[PageRequest], Awaitable[T]]
) -> T:
    async with session_request(http_request, resources) as request:
        if request is None:
            raise NotLoggedIn
        try:
            if http_request.context.method != "GET":
                check_form_token(request, _token_of(http_request))
            return await function(request)
        except InvalidFormToken:
            raise FormTokenRejected from None
        except (OwnSiteNotFound, PageError):
            raise SiteNotFound from None
        except Problem as problem:
            problem.detail = describe_problem(problem, messages_of(request))
            raise


async def _translated(http_request: Request, resources: Resources, work: Work) -> Any:
    """Run the work; its problems are described in the user's language."""
    try:
        return await work()
    except Problem as problem:
        if problem.status < 500:
            async with session_request(http_request, resources) as request:
                if request is not None:
                    problem.detail = describe_problem(problem, messages_of(request))
        raise


def _token_of(http_request: Request) -> str:
    """The header, or the field of a form."""
    sent = http_request.headers.get(TOKEN_HEADER)
    if sent is None and http_request.content_type == FORM and http_request.stream is None:
        sent = str(plain_body(http_request).get("token", ""))
    return sent or ""
