"""What is known of the request under way: its id, and what its log line will say."""

import msgspec

from sitewright.kit.versions import NEWEST


class Trace(msgspec.Struct):
    request_id: str
    method: str
    route: str = ""
    version: str = f"7.{NEWEST}"
    brand_ref: int | None = None
    caller: str = ""
    status: int = 500
