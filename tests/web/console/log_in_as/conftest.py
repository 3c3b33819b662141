import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn
from tests.web.console.log_in_as.acting import assert_began, log_in_as


@pytest.fixture
async def user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources)


@pytest.fixture
async def support(log_in: LogIn, user: int) -> httpx.AsyncClient:
    """An operator with the role support, who is logged in as the user."""
    client = await log_in("support")
    assert_began(await log_in_as(client, user))
    return client
