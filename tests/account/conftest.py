import pytest

from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection, make_user


@pytest.fixture
async def user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """An account holder of the own brand."""
    return await make_user(owner_connection, resources)
