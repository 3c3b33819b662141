"""The front door of the JSON interface: what holds for every request, whatever its route.

Request ids, security headers, one log line, HEAD, strict paths and a limit for addresses.
"""

import logging
import re
import uuid
from collections.abc import Iterable
from typing import cast

from litestar.types import Message

from sitewright.kit import clock, logs
from sitewright.kit.http import trace
from sitewright.kit.http.answers import PROBLEM_TYPE, problem_parts
from sitewright.kit.http.asgi import HttpApp, HTTPScope, Receive, Send
from sitewright.kit.http.trace import Trace
from sitewright.kit.problems import NotFound, Problem, UriTooLong

MAX_ADDRESS_BYTES = 8192
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_log = logging.getLogger("sitewright.requests")

COMMON_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
]


class Front:
    def __init__(self, app: HttpApp) -> None:
        self._app = app

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        started = clock.stopwatch()
        known = Trace(_request_id(scope["headers"]), scope["method"])

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                known.status = message["status"]
                message["headers"] = [
                    *message["headers"],
                    *COMMON_HEADERS,
                    (b"x-api-version", known.version.encode()),
                    (b"x-request-id", known.request_id.encode()),
                ]
            await send(message)

        try:
            if refusal := _refusal(scope):
                await _refuse(refusal, known, send_with_headers)
            else:
                await self._app(_inside(scope, known), receive, send_with_headers)
        finally:
            _write_line(known, started)


def _refusal(scope: HTTPScope) -> Problem | None:
    """Litestar would route `/users/1/` and `//users/1` like `/users/1`; here they lead nowhere."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_ADDRESS_BYTES:
        return UriTooLong()
    path = scope["path"]
    return NotFound() if "//" in path or (path.endswith("/") and path != "/") else None


def _inside(scope: HTTPScope, known: Trace) -> HTTPScope:
    """HEAD is answered as GET: the server leaves out the body, since its own scope still says HEAD."""
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    return cast("HTTPScope", {**scope, "method": method, trace.KEY: known})


async def _refuse(problem: Problem, known: Trace, send: Send) -> None:
    extra, body = problem_parts(problem, known.request_id)
    headers = [(name.encode(), value.encode()) for name, value in extra.items()]
    headers += [(b"content-type", PROBLEM_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _request_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    for name, value in headers:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return value.decode("ascii")
    return uuid.uuid4().hex


def _write_line(known: Trace, started: float) -> None:
    logs.event(
        _log,
        "request",
        method=known.method,
        route=known.route,
        status=known.status,
        ms=round((clock.stopwatch() - started) * 1000, 1),
        brand=known.brand_ref,
        caller=known.caller,
        request=known.request_id,
    )
