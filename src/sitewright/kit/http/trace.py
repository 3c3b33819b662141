"""What is known of the request under way: its id, and what its log line will say."""

import msgspec
from litestar.types import Scope

from sitewright.kit.versions import NEWEST

KEY = "sitewright.trace"


class Trace(msgspec.Struct):
    request_id: str
    method: str
    """As the client sent it; inside, HEAD is routed as GET."""
    route: str = ""
    version: str = f"7.{NEWEST}"
    brand_ref: int | None = None
    caller: str = ""
    status: int = 500


def trace_of(scope: Scope) -> Trace:
    trace: Trace = scope[KEY]  # type: ignore[literal-required]
    return trace
