"""Which brand a call is for: the caller's own, or, for a system-owner, the one it names."""

from typing import Any

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.problems import Forbidden, Invalid

HEADER = "x-brand-ref"


class BrandMismatch(Forbidden):
    code = "brandMismatch"
    title = "Not your brand"
    detail = "brandRef is not the brand of these credentials. Send your own brandRef."


class BrandRequired(Invalid):
    code = "brandRequired"
    title = "Which brand?"
    detail = "A system-owner names the brand with brandRef where the call has one, else with the header X-Brand-Ref."


def brand_of(caller: Caller, path_params: dict[str, Any], headers: dict[str, str], *, required: bool) -> int | None:
    in_path: int | None = path_params.get("brand_ref")
    in_header = _header_ref(headers.get(HEADER))
    if caller.role is not Role.SYSTEM_OWNER:
        if any(named not in (None, caller.brand_ref) for named in (in_path, in_header)):
            raise BrandMismatch
        return caller.brand_ref
    named = in_path if in_path is not None else in_header
    if named is None and required:
        raise BrandRequired
    return named


def _header_ref(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 19 and 1 <= int(text) < 2**63:
        return int(text)
    raise Invalid.fields({"X-Brand-Ref": {"invalidBrandRef": "must be an integer from 1 to 2^63-1"}})
