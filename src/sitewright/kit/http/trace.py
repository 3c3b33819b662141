"""What is known of the request under way: its id, and what its log line will say."""

import re

import msgspec

from sitewright.kit.origin import NO_ADDRESS
from sitewright.kit.versions import NEWEST

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
"""What callers and visitors may name a request: it stands in headers, logs and the audit."""


class Trace(msgspec.Struct):
    request_id: str
    method: str
    route: str = ""
    version: str = f"7.{NEWEST}"
    brand_ref: int | None = None
    caller: str = ""
    status: int = 500
    problem_code: str | None = None
    address: str = NO_ADDRESS
    """The client's, as far as proxies are trusted."""
