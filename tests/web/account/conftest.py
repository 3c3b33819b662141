import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import log_in
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site


@pytest.fixture
async def user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """An account holder of the own brand."""
    return await make_user(owner_connection, resources)


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, user: int) -> int:
    """A site of that account holder at www.example.com, with a template, not published."""
    return await make_site(owner_connection, resources, user)


@pytest.fixture
async def visitor(anonymous: httpx.AsyncClient, user: int) -> httpx.AsyncClient:
    """The account holder, logged in."""
    assert (await log_in(anonymous)).status_code == 303
    return anonymous
