"""Answers: JSON from typed values, problem documents from problems."""

import logging
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from sitewright.kit.http.trace import trace_of
from sitewright.kit.problems import MethodNotAllowed, NotFound, Problem, Unauthenticated

PROBLEM_TYPE = "application/problem+json"
CHALLENGES = 'OAuth realm="sitewright", Basic realm="sitewright", charset="UTF-8"'
encode = msgspec.json.Encoder().encode
_log = logging.getLogger("sitewright.problems")


class ProblemDocument(msgspec.Struct, omit_defaults=True, kw_only=True):
    """RFC 9457. `errors` names every failing field; `message` is `detail` under its older name."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    message: str
    errors: dict[str, dict[str, str]] = {}


class Answered(msgspec.Struct, frozen=True):
    """An answer ready to be sent, or to be kept and sent again."""

    status: int
    body: bytes
    headers: dict[str, str]


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


def routing_answer(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What Litestar's router refuses, in our words."""
    if error.status_code != 405:
        return problem_answer(request, NotFound())
    allowed = {method.strip() for method in (error.headers or {})["allow"].split(",")}
    allowed |= {"HEAD"} & {method.replace("GET", "HEAD") for method in allowed}
    return problem_answer(request, MethodNotAllowed(headers={"allow": ", ".join(sorted(allowed))}))


def bug_answer(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    _log.error("unexpected error", exc_info=error, extra={"fields": {"request": trace_of(request.scope).request_id}})
    return problem_answer(request, Problem())
