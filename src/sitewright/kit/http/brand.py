"""Which brand a call is for: the caller's own, or, for a system-owner, the one it names."""

from typing import Any

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.http.call import Incoming, plain_body
from sitewright.kit.problems import Forbidden, Invalid, Problem
from sitewright.kit.validation import parse_query, parse_ref

HEADER = "x-brand-ref"


class BrandMismatch(Forbidden):
    code = "brandMismatch"
    title = "Not your brand"
    detail = "brandRef is not the brand of these credentials. Send your own brandRef."


class BrandRequired(Invalid):
    code = "brandRequired"
    title = "Which brand?"
    detail = "A system-owner names the brand with brandRef where the call has one, else with the header X-Brand-Ref."


def brand_of(
    caller: Caller, refs: dict[str, Any], incoming: Incoming, *, required: bool, in_body: bool = False
) -> int | None:
    """`in_body`: the call has a brandRef in its body. None where the path has one that is no ref, and nobody's."""
    every_named = (
        refs.get("brand_ref"),
        _body_ref(incoming) if in_body else None,
        _query_ref(incoming.query),
        _ref(incoming.headers.get(HEADER), "X-Brand-Ref"),
    )
    named = {each for each in every_named if each is not None}
    if caller.role is not Role.SYSTEM_OWNER:
        if not named <= {caller.brand_ref}:
            raise BrandMismatch
        return caller.brand_ref
    if len(named) > 1:
        raise BrandMismatch("This call names two brands. Name one.")
    if not named and required and "brand_ref" not in refs:
        raise BrandRequired
    return next(iter(named), None)


def _body_ref(incoming: Incoming) -> int | None:
    """What is no body, or no ref, is left to the endpoint, which tells all that is wrong with it."""
    try:
        sent = plain_body(incoming).get("brandRef")
    except Problem:
        return None
    return sent if type(sent) is int else parse_ref(sent) if isinstance(sent, str) else None


def _query_ref(query: bytes) -> int | None:
    if b"brandRef" not in query:
        return None
    sent = parse_query(query).get("brandRef")
    return _ref(sent, "brandRef")


def _ref(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    ref = parse_ref(text)
    if ref is None:
        raise Invalid.fields({name: {"invalidBrandRef": "must be an integer from 1 to 2^63-1"}})
    return ref
