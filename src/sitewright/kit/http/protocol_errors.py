"""Responses to bytes that are not a valid HTTP request: problem documents with a request id, as for all errors."""

import secrets
from http import HTTPStatus

from sitewright.kit.http.responses import problem_response
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


def raw_response(problem: Problem) -> bytes:
    request_id = secrets.token_hex(16)
    response = problem_response(problem, request_id)
    headers = "".join(f"{name.lower()}: {value}\r\n" for name, value in response.headers.items())
    head = (
        f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}\r\ncontent-type: {response.content_type}\r\n"
        f"content-length: {len(response.body)}\r\nx-request-id: {request_id}\r\nx-api-version: 7.{NEWEST}\r\n"
        f"{headers}connection: close\r\n\r\n"
    )
    return head.encode() + response.body
