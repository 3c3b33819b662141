from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection, make_user

NewHash: TypeAlias = Callable[[], Awaitable[str]]


@pytest.fixture
async def user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """An account holder of the own brand."""
    return await make_user(owner_connection, resources)


@pytest.fixture
async def new_hash(owner: httpx.AsyncClient, user: int) -> AsyncIterator[NewHash]:
    """A log-in hash for that account holder."""

    async def issue() -> str:
        response = await owner.post(f"/users/{user}/auto-login")
        return str(response.json()["hash"])

    yield issue
