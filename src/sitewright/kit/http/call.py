"""One call of an endpoint: the request, its authenticated caller, brand, API release and transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.http.asgi import Receive
from sitewright.kit.http.body_stream import BodyStream
from sitewright.kit.http.request_context import RequestContext
from sitewright.kit.http.streaming import wait_for_disconnect
from sitewright.kit.origin import Origin
from sitewright.kit.problems import FieldErrors, Invalid, MalformedJson, Problem, Unauthenticated, UnsupportedMediaType
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse, parse_json, parse_nested_form, parse_nested_query, read_fields
from sitewright.kit.versions import Release

T = TypeVar("T", bound=msgspec.Struct)
Check = Callable[[dict[str, Any]], Awaitable[FieldErrors]]
"""Validates the readable values of a request, by attribute, against the database; returns the errors by field.

It may replace a value with the stored one.
"""

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
LARGE_BODY = 64 * 1024
"""Larger bodies are parsed in a thread, off the event loop."""


class ParsedBody(msgspec.Struct):
    """The cached result of parsing a body: values or a problem; both are None until it is first parsed."""

    values: dict[str, Any] | None = None
    problem: Problem | None = None


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The request as received; nothing in it is authenticated or validated yet."""

    context: RequestContext
    origin: Origin
    path: str
    query: bytes
    headers: dict[str, str]
    body: bytes
    receive: Receive
    stream: BodyStream | None = None
    """Set for endpoints that read the body while it arrives; `body` is then empty."""
    parsed: ParsedBody = msgspec.field(default_factory=ParsedBody)

    async def wait_for_disconnect(self) -> None:
        """For a request whose body has been read."""
        await wait_for_disconnect(self.receive)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def form(self) -> str | None:
        """The form that a signature covers. An upload is none, whatever its Content-Type says."""
        return self.body.decode("latin-1") if self.content_type == FORM and self.stream is None else None


class Call(msgspec.Struct, kw_only=True):
    request: Request
    resources: Resources
    caller: Caller
    brand_ref: int | None
    release: Release
    json_only: bool = False
    """The certificate endpoints accept only JSON and respond 401 to anything else, as the specification requires."""
    transaction: Transaction | None = None
    response_headers: dict[str, str] = msgspec.field(default_factory=dict)
    subject_refs: dict[str, int] = msgspec.field(default_factory=dict)
    """The `user_ref` or `site_ref` whose data the response contains, where the path does not name it: erasing that user
    or site also erases responses stored for idempotency."""
    prepared: Any = None
    """The result of the endpoint's `prepare`, for its function."""
    carried: Any = None
    """What the function found out for the next `prepare` before it raised `Stale`; no attempt resets it."""
    status: int | None = None
    """The status of the response, where it is not the endpoint's: 201 or 202."""
    shorten: Callable[["Call", Sequence[Any]], Sequence[Any]] | None = None
    """Set for lists (`paging.set_links`): returns the items that fit into a response, and adjusts `Link`."""

    @property
    def tx(self) -> Transaction:
        assert self.transaction is not None, "this endpoint has no transaction"  # noqa: S101
        return self.transaction

    def body(self, into: type[T]) -> T:
        """The body as `into`. Look up the refs of the path first: a 404 has precedence over a 400."""
        return self._parse(into, plain_body(self.request, json_only=self.json_only))

    def query(self, into: type[T]) -> T:
        return self._parse(into, parse_nested_query(self.request.query))

    async def checked_body(self, into: type[T], check: Check) -> T:
        """The body as `into`; raises one `Invalid` with the errors of both its types and `check`."""
        return await self._checked(into, plain_body(self.request, json_only=self.json_only), check)

    async def checked_query(self, into: type[T], check: Check) -> T:
        return await self._checked(into, parse_nested_query(self.request.query), check)

    def _parse(self, into: type[T], values: dict[str, Any]) -> T:
        return parse(into, self.release.visible(values), maximums=self.release.older_maximums)

    async def _checked(self, into: type[T], values: dict[str, Any], check: Check) -> T:
        read, errors = read_fields(into, self.release.visible(values), self.release.older_maximums)
        errors |= await check(read)
        if errors:
            raise Invalid.fields(errors)
        return into(**read)


def plain_body(request: Request, *, json_only: bool = False) -> dict[str, Any]:
    """The body's fields. Some clients send a Content-Type without a body: that counts as an empty body."""
    accepted = (JSON,) if json_only else (JSON, FORM)
    if not request.body and ("content-type" not in request.headers or request.content_type in accepted):
        return {}
    if request.content_type == JSON:
        return _json_body(request, json_only=json_only)
    if json_only:
        raise Unauthenticated("Send the body as application/json.")
    if request.content_type == FORM:
        return parsed_body(request, parse_nested_form)
    raise UnsupportedMediaType(_unreadable_type(request.content_type))


def _unreadable_type(content_type: str) -> str:
    came = f"it came as {content_type[:100]}" if content_type else "it came without a Content-Type"
    return f"{UnsupportedMediaType.detail.removesuffix('.')}; {came}."


def _json_body(request: Request, *, json_only: bool) -> dict[str, Any]:
    try:
        return parsed_body(request, parse_json)
    except MalformedJson as malformed:
        if json_only:
            raise Unauthenticated(malformed.detail) from None
        raise


def parsed_body(request: Request, parse_bytes: Callable[[bytes], dict[str, Any]]) -> dict[str, Any]:
    """Parse the body once and cache the result."""
    parsed = request.parsed
    if parsed.values is None and parsed.problem is None:
        try:
            parsed.values = parse_bytes(request.body)
        except Problem as problem:
            parsed.problem = problem
    if parsed.problem is not None:
        raise parsed.problem
    return parsed.values or {}


async def parse_large_body(request: Request) -> None:
    """Parse the body in a thread, off the event loop; later calls of `parsed_body` use the cached result."""
    parse_bytes = {JSON: parse_json, FORM: parse_nested_form}.get(request.content_type)
    if parse_bytes is not None:
        with suppress(Problem):
            await asyncio.to_thread(parsed_body, request, parse_bytes)
