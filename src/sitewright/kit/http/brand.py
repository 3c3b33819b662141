"""Which brand a call is for: the caller's own, or, for a system-owner, the one it names."""

from typing import Any

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.http.call import Incoming
from sitewright.kit.problems import Forbidden, Invalid
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


def brand_of(caller: Caller, refs: dict[str, Any], incoming: Incoming, *, required: bool) -> int | None:
    in_path: int | None = refs.get("brand_ref")
    in_query = _query_ref(incoming.query)
    in_header = _ref(incoming.headers.get(HEADER), "X-Brand-Ref")
    if caller.role is not Role.SYSTEM_OWNER:
        if any(named not in (None, caller.brand_ref) for named in (in_path, in_query, in_header)):
            raise BrandMismatch
        return caller.brand_ref
    named = next((each for each in (in_path, in_query, in_header) if each is not None), None)
    if named is None and required:
        raise BrandRequired
    return named


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
