"""Responses: JSON from typed values, problem documents (RFC 9457) from problems."""

import logging
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.asgi import Send
from sitewright.kit.problems import Problem, Unauthenticated

PROBLEM_TYPE = "application/problem+json"
CHALLENGES = 'OAuth realm="sitewright", Basic realm="sitewright", charset="UTF-8"'
encode = msgspec.json.Encoder().encode
CHUNK_BYTES = 128 * 1024
_log = logging.getLogger("sitewright.problems")


class ProblemDocument(msgspec.Struct, omit_defaults=True, kw_only=True):
    """RFC 9457. `errors` names every failing field; `message` is `detail` under its older name."""

    type: Annotated[str, about("The page that explains the code.", "/problems/invalidFirstName")]
    title: Annotated[str, about("What kind of problem it is, in a few words.", "The request is not valid")]
    status: Annotated[int, about("The HTTP status again.", 400)]
    detail: Annotated[str, about("What is wrong and what to do, for people.", "firstName: is required")]
    instance: Annotated[str, about("The request's id, as in X-Request-Id.", "5f0c9a2e7b6d4c318e20a1f4d7b35c96")]
    code: Annotated[str, about("What went wrong, for programs; it never changes.", "invalidFirstName")]
    message: Annotated[str, about("The same text as `detail`.", "firstName: is required")]
    errors: Annotated[
        dict[str, dict[str, str]],
        about(
            "Every failing field with its code and what is wrong with it; absent where no field failed.",
            {"firstName": {"invalidFirstName": "is required"}},
        ),
    ] = {}
    current: (
        Annotated[
            dict[str, Any],
            about(
                "With `contentChanged`: the item that somebody else changed, as it is now. With `eventsGone`: the"
                " `oldestSequence`.",
                {"kind": "widget"},
            ),
        ]
        | None
    ) = None


class Response(msgspec.Struct, frozen=True):
    """A complete response; idempotency stores it to replay it."""

    status: int
    body: bytes
    headers: dict[str, str]
    content_type: str = "application/json"
    after_processing: bool = False
    """Send a 102 before it, in the same write, where the connection allows one."""
    problem_code: str | None = None
    """For the request log: the code of the problem that this response reports."""


def json_response(value: msgspec.Struct | None, status: int, headers: dict[str, str]) -> Response:
    return Response(status, b"" if value is None else encode(value), headers)


def problem_response(problem: Problem, request_id: str) -> Response:
    document = ProblemDocument(
        type=f"/problems/{problem.code}",
        title=problem.title,
        status=problem.status,
        detail=problem.detail,
        instance=request_id,
        code=problem.code,
        message=problem.detail,
        errors=problem.errors,
        current=problem.current,
    )
    challenge = {"www-authenticate": CHALLENGES} if isinstance(problem, Unauthenticated) else {}
    headers = challenge | problem.headers
    return Response(problem.status, encode(document), headers, PROBLEM_TYPE, problem_code=problem.code)


def log_internal_error(error: Exception, request_id: str) -> Problem:
    """Log the error; the client only learns that an internal error occurred."""
    _log.error("unexpected error", exc_info=error, extra={"fields": {"request": request_id}})
    return Problem()


async def send_response(response: Response, headers: Iterable[tuple[bytes, bytes]], send: Send) -> None:
    own = [(name.lower().encode(), value.encode()) for name, value in response.headers.items()]
    if response.body:
        own.append((b"content-type", response.content_type.encode()))
    if response.status not in (204, 304):
        own.append((b"content-length", b"%d" % len(response.body)))
    await send({"type": "http.response.start", "status": response.status, "headers": [*own, *headers]})
    await send_body(response.body, send)


async def send_body(body: bytes | memoryview, send: Send) -> None:
    """Send in chunks, no faster than the client reads them, so that the connection's write buffer stays small.

    The body itself stays in memory until its last chunk is written; `ResponseBudget` bounds that. Chunks of bytes are
    copies, because a view of the last one would keep the whole body alive. A caller that passes a view accounts for its
    memory.

    Over TLS, one large write would bypass back-pressure: all of it is encrypted and buffered at once.
    """
    for begin in range(0, max(1, len(body)), CHUNK_BYTES):
        chunk, is_last = body[begin : begin + CHUNK_BYTES], begin + CHUNK_BYTES >= len(body)
        await send({"type": "http.response.body", "body": chunk, "more_body": not is_last})
