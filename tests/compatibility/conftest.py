"""Every request as clients send it: as JSON and as a form, with OAuth 1.0a and with HTTP Basic."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

Send = Callable[..., Awaitable[httpx.Response]]
"""`await send("PUT", "/sites/1", enabled=0)`"""


@pytest.fixture(params=["signed", "basic"])
def caller(request: pytest.FixtureRequest) -> httpx.AsyncClient:
    """The brand's own caller; form fields are part of its signature."""
    client: httpx.AsyncClient = request.getfixturevalue("owner" if request.param == "signed" else "owner_operator")
    return client


@pytest.fixture(params=["json", "form"])
def send(request: pytest.FixtureRequest, caller: httpx.AsyncClient) -> Send:
    async def send_fields(method: str, path: str, **fields: Any) -> httpx.Response:
        if request.param == "json":
            return await caller.request(method, path, json=fields)
        return await caller.request(method, path, data={name: str(value) for name, value in fields.items()})

    return send_fields
