"""The ASGI application of the JSON API: what applies to every request, whatever its route.

Request ids, security headers, the request log, metrics, the memory limit for large responses, and problem documents for
all errors: as pages where a browser asks for one. HEAD is routed as GET; the server omits the body.
"""

import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from sitewright.kit import clock, logs
from sitewright.kit.failure_log import FailureLog
from sitewright.kit.http.asgi import ANNOUNCE_PROCESSING, HTTPScope, Receive, Send
from sitewright.kit.http.compression import accepts_gzip, compress, may_compress
from sitewright.kit.http.limits import MAX_HEADER_BYTES, body_pace
from sitewright.kit.http.negotiation import header_text, wants_page
from sitewright.kit.http.problem_page import problem_page_for
from sitewright.kit.http.request_context import REQUEST_ID, RequestContext
from sitewright.kit.http.request_reader import read_request
from sitewright.kit.http.response_budget import ResponseBudget
from sitewright.kit.http.responses import (
    CHUNK_BYTES,
    Response,
    log_internal_error,
    problem_response,
    send_response,
)
from sitewright.kit.http.routing import Route, Router
from sitewright.kit.http.streaming import Streamed, send_streamed
from sitewright.kit.http.upload_turns import UploadTurn, UploadTurns
from sitewright.kit.origin import NO_ADDRESS, rate_limit_key
from sitewright.kit.problems import HeadersTooLarge, Problem, Unavailable, UriTooLong
from sitewright.kit.resources import Resources
from sitewright.kit.rotation.ring import LOST
from sitewright.kit.sealing import MasterKeyError, SecretChangedError
from sitewright.kit.ui.brand import Brand
from sitewright.kit.versions import NEWEST, UnknownVersion, release_of

MAX_URL_BYTES = 8192
SECRET_RETRY_SECONDS = 60
CHANGED = "Replace what it belongs to, such as the API credential, or restore its row from a backup."
_log = logging.getLogger("sitewright.sealing")
FindBrand = Callable[[Resources, str], Awaitable[Brand | None]]

COMMON_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
]


class SecretUnavailable(Unavailable):
    """The master key was lost or replaced: the caller is not at fault, so no 401, which would count as a failure."""

    detail = (
        "A secret that this request needs cannot be decrypted at the moment. The operator of the service finds the"
        " reason in its log. What needs no such secret works."
    )

    def __init__(self) -> None:
        super().__init__(retry_after=SECRET_RETRY_SECONDS)


class ApiApp:
    def __init__(self, router: Router, resources: Resources, find_brand: FindBrand | None = None) -> None:
        """`find_brand` finds the brand of a host for error pages; it returns None where it cannot."""
        self._router = router
        self._find_brand = find_brand
        self._resources = resources
        self._hsts = _hsts_of(resources.settings.hsts_seconds)
        self._pace = body_pace(resources.settings)
        self._large_responses = ResponseBudget()
        self._upload_turns = UploadTurns()
        self._undecryptable = FailureLog(_log)

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        started = clock.stopwatch()
        context = RequestContext(_request_id(scope["headers"]), scope["method"], version=_version(scope["headers"]))
        try:
            response = await self._respond(scope, receive, context)
            if may_compress(response) and accepts_gzip(scope["headers"]):
                response = await self._compress(response, context)
            if len(response.body) > CHUNK_BYTES and context.method in ("GET", "HEAD"):
                response = self._within_budget(response, context)
            context.status = response.status
            headers = _common_headers(context, response.headers)
            if self._hsts and self._is_https(scope):
                headers += self._hsts
            if isinstance(response, Streamed):
                await send_streamed(response, headers, context.method, receive, send)
                return
            context.problem_code = response.problem_code
            if response.after_processing:
                scope[ANNOUNCE_PROCESSING]()
            if len(response.body) > CHUNK_BYTES:
                with self._large_responses.held(rate_limit_key(context.address), len(response.body)):
                    await send_response(response, headers, send)
            else:
                await send_response(response, headers, send)
        finally:
            seconds = clock.stopwatch() - started
            self._resources.metrics.count_request(context.method, context.route, context.status, seconds)
            _write_line(context, seconds)

    async def _compress(self, response: Response, context: RequestContext) -> Response:
        """A large body counts towards the budget while it is being compressed."""
        if len(response.body) <= CHUNK_BYTES:
            return await compress(response)
        with self._large_responses.held(rate_limit_key(context.address), len(response.body)):
            return await compress(response)

    def _within_budget(self, response: Response, context: RequestContext) -> Response:
        """Reads can be retried, so they are rejected over the budget; other methods have changed state already."""
        try:
            self._large_responses.check(rate_limit_key(context.address), len(response.body))
        except Problem as problem:
            return problem_response(problem, context.request_id)
        return response

    def _is_https(self, scope: HTTPScope) -> bool:
        peer = scope["client"][0] if scope["client"] else NO_ADDRESS
        return self._resources.proxies.is_https(peer, scope["scheme"], scope["headers"])

    async def _respond(self, scope: HTTPScope, receive: Receive, context: RequestContext) -> Response:
        try:
            _check_size(scope)
            route, path_parameters = self._router.find(scope)
            context.route = route.path
            if not route.streams_body:
                return await self._handle(route, path_parameters, scope, receive, context)
            async with self._upload_turns.turn() as upload:
                return await self._handle(route, path_parameters, scope, receive, context, upload)
        except Problem as problem:
            return await self._problem(scope, context, problem)
        except MasterKeyError as error:
            remedy = CHANGED if isinstance(error, SecretChangedError) else LOST
            self._undecryptable.report(f"a request needs a secret that cannot be decrypted. {remedy}", error)
            return await self._problem(scope, context, SecretUnavailable())
        except Exception as error:
            return await self._problem(scope, context, log_internal_error(error, context.request_id))

    async def _handle(
        self,
        route: Route,
        path_parameters: dict[str, Any],
        scope: HTTPScope,
        receive: Receive,
        context: RequestContext,
        upload: UploadTurn | None = None,
    ) -> Response:
        request = await read_request(scope, receive, context, self._resources.proxies, self._pace, upload)
        context.address = request.origin.address
        return await route.handle(request, path_parameters, self._resources)

    async def _problem(self, scope: HTTPScope, context: RequestContext, problem: Problem) -> Response:
        """A page for people, a problem document for programs."""
        if not wants_page(scope):
            return problem_response(problem, context.request_id)
        if context.brand is None and self._find_brand is not None and problem.status < 500:
            context.brand = await self._find_brand(self._resources, header_text(scope, b"host"))
        return problem_page_for(context, header_text(scope, b"accept-language"), problem)


def _hsts_of(seconds: int) -> list[tuple[bytes, bytes]]:
    """Without includeSubDomains: customers' sites below the service's host may have no certificate."""
    return [(b"strict-transport-security", f"max-age={seconds}".encode())] if seconds else []


def _common_headers(context: RequestContext, own: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """The common headers, except those that the response sets itself (pages, images)."""
    common = [header for header in COMMON_HEADERS if header[0].decode() not in own] if own else COMMON_HEADERS
    return [*common, (b"x-api-version", context.version.encode()), (b"x-request-id", context.request_id.encode())]


def _check_size(scope: HTTPScope) -> None:
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        raise HeadersTooLarge
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_URL_BYTES:
        raise UriTooLong


def _version(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The requested API release, needed even if no route matches; an endpoint rejects an unknown one itself."""
    for name, value in headers:
        if name == b"x-api-version":
            with suppress(UnknownVersion):
                return f"7.{release_of(value.decode('latin-1'))}"
    return f"7.{NEWEST}"


def _request_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    for name, value in headers:
        if name == b"x-request-id" and REQUEST_ID.fullmatch(value):
            return value.decode("ascii")
    return secrets.token_hex(16)


class RequestLine(msgspec.Struct, frozen=True):
    """The log line of a request; it never contains a body, query or credentials."""

    time: str
    method: str
    route: str
    status: int
    ms: float
    brand: int | None
    caller: str
    request: str
    level: str = "info"
    logger: str = "sitewright.requests"
    message: str = "request"
    code: str | msgspec.UnsetType = msgspec.UNSET
    """The problem code, if the response is a problem document."""


def _write_line(context: RequestContext, seconds: float) -> None:
    logs.write_line(
        RequestLine(
            time=clock.real_now().isoformat(timespec="milliseconds"),
            method=context.method,
            route=context.route,
            status=context.status,
            ms=round(seconds * 1000, 1),
            brand=context.brand_ref,
            caller=context.caller,
            request=context.request_id,
            code=context.problem_code or msgspec.UNSET,
        )
    )
