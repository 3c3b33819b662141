"""The context of a request: its id and the fields of its log line, filled in while it is handled."""

import re

import msgspec

from sitewright.kit.origin import NO_ADDRESS
from sitewright.kit.ui.banner import Banner
from sitewright.kit.ui.brand import Brand
from sitewright.kit.versions import NEWEST

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
"""Allowed request ids of clients: they appear in headers, logs and the audit."""


class RequestContext(msgspec.Struct):
    request_id: str
    method: str
    route: str = ""
    version: str = f"7.{NEWEST}"
    brand_ref: int | None = None
    brand: Brand | None = None
    """The brand in whose name pages respond, once it is known."""
    banner: Banner | None = None
    """Of pages, while an operator is logged in as an account holder."""
    caller: str = ""
    status: int = 500
    problem_code: str | None = None
    address: str = NO_ADDRESS
    """The client's address, behind trusted proxies."""
