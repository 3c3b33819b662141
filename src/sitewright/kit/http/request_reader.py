"""Reads a request's headers and body, within their limits."""

import asyncio
from typing import Any

from sitewright.kit.http.asgi import HTTPScope, Receive
from sitewright.kit.http.body_stream import BodyCutOff, BodyStream
from sitewright.kit.http.call import Request
from sitewright.kit.http.limits import Pace
from sitewright.kit.http.request_context import RequestContext
from sitewright.kit.http.upload_turns import UploadTurn
from sitewright.kit.origin import NO_ADDRESS, Proxies
from sitewright.kit.problems import Invalid, RequestTooSlow, TooLarge, Unauthenticated

MAX_BODY = 1024 * 1024


async def read_request(
    scope: HTTPScope,
    receive: Receive,
    context: RequestContext,
    proxies: Proxies,
    pace: Pace,
    upload: UploadTurn | None = None,
) -> Request:
    """`upload`: the endpoint reads the body itself, after authentication."""
    headers = _headers(scope["headers"])
    peer = scope["client"][0] if scope["client"] else NO_ADDRESS
    return Request(
        context=context,
        origin=proxies.origin(peer, scope["scheme"], headers),
        path=scope["raw_path"].decode("ascii"),
        query=scope["query_string"],
        headers=headers,
        receive=receive,
        body=await _body(receive, headers, pace) if upload is None else b"",
        stream=None if upload is None else BodyStream(receive, headers, pace, upload),
    )


def _headers(pairs: Any) -> dict[str, str]:
    """Headers by lower-case name; repeated ones are joined by a comma, as HTTP defines."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in pairs:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name == "authorization" and name in headers:
            raise Unauthenticated("Send one Authorization header, not two.")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


async def _body(receive: Receive, headers: dict[str, str], pace: Pace) -> bytes:
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise Invalid("Content-Length is not a number.")
    if len(length) > 10 or int(length) > MAX_BODY:
        raise TooLarge
    if length == "0" and "transfer-encoding" not in headers:
        return b""
    return await read_body(receive, MAX_BODY, pace)


async def read_body(receive: Receive, max_bytes: int, pace: Pace) -> bytes:
    """The whole body. Raises TooLarge as soon as more than `max_bytes` have arrived, and RequestTooSlow."""
    started = asyncio.get_running_loop().time()
    body = bytearray()
    try:
        async with asyncio.timeout_at(pace.deadline(started, 0)) as limit:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise BodyCutOff
                body += message.get("body", b"")
                if len(body) > max_bytes:
                    raise TooLarge
                if not message.get("more_body"):
                    return bytes(body)
                limit.reschedule(pace.deadline(started, len(body)))
    except TimeoutError:
        raise RequestTooSlow(headers={"Connection": "close"}) from None
