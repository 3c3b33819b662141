"""HTTP clients of real servers: no proxy, the usual authorities, and no timeout that a slow machine meets."""

from typing import Any

import httpx

from tests.support.timeouts import HANG_SECONDS
from tests.support.trust import TRUST


def http_client(base_url: str = "", **options: Any) -> httpx.AsyncClient:
    defaults: dict[str, Any] = {"trust_env": False, "verify": TRUST, "timeout": HANG_SECONDS}
    return httpx.AsyncClient(base_url=base_url, **defaults | options)
