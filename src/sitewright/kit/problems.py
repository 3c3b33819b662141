"""Errors as RFC 9457 problems. Features subclass a kind and give it a stable `code`.

`detail` is for people: what is wrong and what to do. Only `kit.http` turns a problem into an HTTP response.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar

FieldErrors = dict[str, dict[str, str]]
MAX_ERRORS = 100
"""How many invalid fields a response reports."""
MAX_NAMED_CHARACTERS = 90
"""Maximum length of the list of their names at the beginning of the message."""


class Problem(Exception):
    status: ClassVar[int] = 500
    code: str = "internalError"
    title: str = "Something went wrong on our side"
    detail: str = "The request could not be completed. Try again; if it happens again, report the request id."

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: FieldErrors | None = None,
        headers: Mapping[str, str] | None = None,
        current: dict[str, Any] | None = None,
    ) -> None:
        """`current`: an item that changed meanwhile, as it is now."""
        self.detail = detail or self.detail
        self.current = current
        self.errors = errors or {}
        self.headers = dict(headers or {})
        super().__init__(self.detail)


class Invalid(Problem):
    """One or more fields are invalid; `errors` has all of them, up to `MAX_ERRORS`."""

    status = 400
    code = "invalidRequest"
    title = "The request is not valid"
    detail = "Some fields are not valid; `errors` names each of them."

    @classmethod
    def fields(cls, errors: FieldErrors) -> "Invalid":
        """With one invalid field, the problem has that field's code and message; several are summarized."""
        named = dict(islice(errors.items(), MAX_ERRORS))
        if len(errors) != 1:
            return cls(_summary(list(errors)) if errors else None, errors=named)
        [(field, failures)] = errors.items()
        code, message = next(iter(failures.items()))
        problem = cls(f"{field}: {message}", errors=named)
        problem.code = code
        return problem


def _summary(names: list[str]) -> str:
    """Begins with the names, since some clients show only the first 120 characters."""
    shown = 1
    while shown < len(names) and sum(len(name) + 2 for name in names[: shown + 1]) <= MAX_NAMED_CHARACTERS:
        shown += 1
    listed, others = ", ".join(names[:shown]), len(names) - shown
    if len(names) > MAX_ERRORS:
        return f"{listed} and at least {others} more: not valid; `errors` names the first {MAX_ERRORS} of them."
    if others:
        listed += f" and {others} more"
    return f"{listed}: not valid; `errors` says what is wrong with each."


class MalformedJson(Invalid):
    code = "malformedJson"
    title = "The body is not a JSON object"
    detail = "Send one JSON object in UTF-8, without duplicate keys, nested at most 64 levels deep."


class Unauthenticated(Problem):
    status = 401
    code = "unauthenticated"
    title = "Not authenticated"
    detail = "Sign the request with OAuth 1.0a, or send an operator's user name and password with HTTP Basic."


class Forbidden(Problem):
    status = 403
    code = "forbidden"
    title = "Not allowed"
    detail = "These credentials do not allow this call."


class NotFound(Problem):
    status = 404
    code = "notFound"
    title = "There is nothing here"
    detail = "No such path. Check it against the reference; paths have no trailing slash."


class MethodNotAllowed(Problem):
    status = 405
    code = "methodNotAllowed"
    title = "This path has no such method"
    detail = "Use one of the methods named in the Allow header."


class RequestTooSlow(Problem):
    status = 408
    code = "requestTimeout"
    title = "The request took too long to arrive"
    detail = "The body arrived too slowly. Send the request again over a better connection."


class Conflict(Problem):
    status = 409
    code = "conflict"
    title = "Conflicts with what exists"
    detail = "The request does not fit the present state."


class Stale(Conflict):
    """Optimistic locking: what was prepared outside the transaction is out of date; `kit.retries` retries."""


class PreconditionFailed(Problem):
    """The state is not the one that If-Match names."""

    status = 412
    code = "preconditionFailed"
    title = "It has changed"
    detail = "The state is not the one that If-Match names. Read it again."


class TooLarge(Problem):
    status = 413
    code = "bodyTooLarge"
    title = "The body is too large"
    detail = "A body may hold at most 1 MiB."


class UriTooLong(Problem):
    status = 414
    code = "uriTooLong"
    title = "The address is too long"
    detail = "Path and query together may hold at most 8 KiB."


class UnsupportedMediaType(Problem):
    status = 415
    code = "unsupportedMediaType"
    title = "This content type is not understood"
    detail = "Send the body as application/json or application/x-www-form-urlencoded."


class HeadersTooLarge(Problem):
    status = 431
    code = "headersTooLarge"
    title = "The headers are too large"
    detail = "All headers together may hold at most 64 KiB."


class TooManyRequests(Problem):
    """The rate limit of failed authentications is reached."""

    status = 429
    code = "tooManyFailures"
    title = "Too many failed attempts"
    detail = "Too many wrong credentials came from this address. Wait as long as Retry-After says."


class Unavailable(Problem):
    status = 503
    code = "temporarilyUnavailable"
    title = "Not available for the moment"
    detail = "The database cannot be reached just now. Repeat the request in a moment."

    def __init__(self, detail: str | None = None, *, retry_after: int = 2) -> None:
        super().__init__(detail, headers={"Retry-After": str(retry_after)})


class Busy(Unavailable):
    """A limit is reached temporarily; other requests may succeed, since the database is available."""

    detail = "The service is busy just now. Repeat the request in a moment."
