"""Determines the brand of a request: the caller's own, or, for a system-owner, the one that the request names."""

from contextlib import suppress
from typing import Any
from urllib.parse import unquote_to_bytes

import msgspec

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.http.call import Request, plain_body
from sitewright.kit.problems import Forbidden, Invalid, MalformedJson, Problem, UnsupportedMediaType
from sitewright.kit.validation import Ref, parse, parse_nested_query, parse_ref
from sitewright.kit.validation.nesting import Unreadable

HEADER = "x-brand-ref"


class BrandInBody(msgspec.Struct, rename="camel"):
    """The `brandRef` field of a body."""

    brand_ref: Ref | None = None


class BrandMismatch(Forbidden):
    code = "brandMismatch"
    title = "Not your brand"
    detail = "brandRef is not the brand of these credentials. Send your own brandRef."


class BrandRequired(Invalid):
    code = "brandRequired"
    title = "Which brand?"
    detail = "A system-owner names the brand with brandRef where the call has one, else with the header X-Brand-Ref."


def brand_of(
    caller: Caller, path_parameters: dict[str, Any], request: Request, *, required: bool, in_body: bool = False
) -> int | None:
    """Return the request's brand; None if it names none and needs none, or if the brandRef in its path is malformed.

    `in_body`: the endpoint accepts a brandRef in its body.
    """
    sources = (
        path_parameters.get("brand_ref"),
        _body_ref(request) if in_body else None,
        _query_ref(request.query),
        _ref(request.headers.get(HEADER), "X-Brand-Ref"),
    )
    named = {each for each in sources if each is not None}
    if caller.role is not Role.SYSTEM_OWNER:
        if not named <= {caller.brand_ref}:
            raise BrandMismatch
        return caller.brand_ref
    if len(named) > 1:
        raise BrandMismatch("This call names two brands. Name one.")
    if not named and required and "brand_ref" not in path_parameters:
        if in_body:
            _reject_malformed(request)
        raise BrandRequired
    return next(iter(named), None)


def _body_ref(request: Request) -> int | None:
    """None for an unreadable body or ref: the endpoint reports every error of the body later."""
    try:
        sent = plain_body(request).get("brandRef")
    except Problem:
        return None
    return sent if type(sent) is int else parse_ref(sent) if isinstance(sent, str) else None


def _reject_malformed(request: Request) -> None:
    """Report a malformed brandRef as invalid rather than as missing."""
    with suppress(MalformedJson, UnsupportedMediaType):
        parse(BrandInBody, plain_body(request))


def _query_ref(query: bytes) -> int | None:
    if b"brandRef" not in query and (b"%" not in query or b"brandRef" not in unquote_to_bytes(query)):
        return None
    return _ref(parse_nested_query(query).get("brandRef"), "brandRef")


def _ref(sent: Any, name: str) -> int | None:
    if sent is None:
        return None
    ref = parse_ref(sent) if isinstance(sent, str) else None
    if ref is None:
        reason = sent.reason if isinstance(sent, Unreadable) else "must be an integer from 1 to 2^63-1"
        raise Invalid.fields({name: {"invalidBrandRef": reason}})
    return ref
