"""Answers: JSON from typed values, problem documents from problems."""

import logging
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from sitewright.kit.http.about import about
from sitewright.kit.http.asgi import Send
from sitewright.kit.http.trace import trace_of
from sitewright.kit.problems import Invalid, MethodNotAllowed, NotFound, Problem, Unauthenticated

PROBLEM_TYPE = "application/problem+json"
CHALLENGES = 'OAuth realm="sitewright", Basic realm="sitewright", charset="UTF-8"'
encode = msgspec.json.Encoder().encode
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


class Answered(msgspec.Struct, frozen=True):
    """An answer ready to be sent, or to be kept and sent again."""

    status: int
    body: bytes
    headers: dict[str, str]
    content_type: str = "application/json"


def answered(value: msgspec.Struct | None, status: int, headers: dict[str, str]) -> Answered:
    return Answered(status, b"" if value is None else encode(value), headers)


def respond(answer: Answered) -> Response[bytes]:
    media_type = "application/json" if answer.body else None
    return Response(answer.body, status_code=answer.status, media_type=media_type, headers=answer.headers)


def problem_parts(problem: Problem, request_id: str) -> tuple[dict[str, str], bytes]:
    """The headers and the body a problem is answered with."""
    document = ProblemDocument(
        type=f"/problems/{problem.code}",
        title=problem.title,
        status=problem.status,
        detail=problem.detail,
        instance=request_id,
        code=problem.code,
        message=problem.detail,
        errors=problem.errors,
    )
    challenge = {"www-authenticate": CHALLENGES} if isinstance(problem, Unauthenticated) else {}
    return challenge | problem.headers, encode(document)


def problem_answer(request: Request[Any, Any, Any], problem: Problem) -> Response[bytes]:
    headers, body = problem_parts(problem, trace_of(request.scope).request_id)
    return Response(body, status_code=problem.status, media_type=PROBLEM_TYPE, headers=headers)


def problem_answered(problem: Problem, request_id: str) -> Answered:
    headers, body = problem_parts(problem, request_id)
    return Answered(problem.status, body, headers, PROBLEM_TYPE)


def bug_answered(error: Exception, request_id: str) -> Answered:
    _log.error("unexpected error", exc_info=error, extra={"fields": {"request": request_id}})
    return problem_answered(Problem(), request_id)


async def send_answer(answer: Answered, headers: Iterable[tuple[bytes, bytes]], send: Send) -> None:
    own = [(name.lower().encode(), value.encode()) for name, value in answer.headers.items()]
    if answer.body:
        own.append((b"content-type", answer.content_type.encode()))
    if answer.status != 204:
        own.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": answer.status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": answer.body, "more_body": False})


def routing_answer(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What Litestar's router refuses, in our words."""
    if error.status_code == 405:
        return problem_answer(request, MethodNotAllowed(headers={"allow": "GET, HEAD"}))
    if error.status_code == 400:
        return problem_answer(request, Invalid("The Host header is not a host name."))
    return problem_answer(request, NotFound())


def bug_answer(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    _log.error("unexpected error", exc_info=error, extra={"fields": {"request": trace_of(request.scope).request_id}})
    return problem_answer(request, Problem())
