"""Responses to bytes that are not a valid HTTP request: problem documents with a request id, as for all errors.

Where the headers that could be read are those of a browser, it is a page instead.
"""

import secrets
from http import HTTPStatus

import msgspec

from sitewright.kit.http.negotiation import Headers, accepts_page, text_of
from sitewright.kit.http.problem_page import problem_page_for
from sitewright.kit.http.request_context import RequestContext
from sitewright.kit.http.responses import Response, problem_response
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.versions import NEWEST


class NotHttp(Problem):
    status = 400
    code = "notHttp"
    title = "This is not HTTP"
    detail = "The bytes received are not a valid HTTP request. Check the address, the port and whether TLS is expected."


class SeveralHosts(Invalid):
    code = "severalHosts"
    title = "More than one Host"
    detail = "Send one Host header, not several."


class NoHost(Invalid):
    code = "noHost"
    title = "No Host"
    detail = "Send a Host header: HTTP/1.1 requires one."


def raw_response(problem: Problem, received: Headers, url: bytes) -> bytes:
    """`received` and `url` are what was read of the request."""
    request_id = secrets.token_hex(16)
    response = _response(problem, request_id, received, url.partition(b"?")[2])
    headers = "".join(f"{name.lower()}: {value}\r\n" for name, value in response.headers.items())
    head = (
        f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}\r\ncontent-type: {response.content_type}\r\n"
        f"content-length: {len(response.body)}\r\nx-request-id: {request_id}\r\nx-api-version: 7.{NEWEST}\r\n"
        f"{headers}connection: close\r\n\r\n"
    )
    return head.encode() + response.body


def _response(problem: Problem, request_id: str, received: Headers, query: bytes) -> Response:
    if not accepts_page(received, query):
        return problem_response(problem, request_id)
    context = RequestContext(request_id, "", version=f"7.{NEWEST}")
    page = problem_page_for(context, text_of(received, b"accept-language"), problem, inline=True)
    common = {"cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
    return msgspec.structs.replace(page, headers=common | page.headers)
