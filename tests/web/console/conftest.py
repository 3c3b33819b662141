from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeAlias

import httpx
import pytest

from tests.support import contract
from tests.support.customers import done, new_user
from tests.support.http_clients import http_client
from tests.support.operators import log_in_operator

LogIn: TypeAlias = Callable[[str], Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def log_in(base_url: str, cast: object, clean: None) -> AsyncIterator[LogIn]:
    """Logs an operator in, each time in another browser."""
    async with AsyncExitStack() as stack:

        async def start(username: str) -> httpx.AsyncClient:
            client = await stack.enter_async_context(http_client(base_url, event_hooks=contract.HOOKS))
            response = await log_in_operator(client, username)
            assert response.status_code == 303, response.text
            return client

        yield start


@pytest.fixture
async def admin(log_in: LogIn) -> httpx.AsyncClient:
    return await log_in("brand-admin")


@pytest.fixture
async def user(owner: httpx.AsyncClient) -> int:
    ref: int = (await done(owner.post("/users", json=new_user(metadata=[{"name": "crm", "value": "C-1"}]))))[
        "accountHolder"
    ]["ref"]
    return ref
