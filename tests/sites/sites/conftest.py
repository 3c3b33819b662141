import pytest

from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection, make_user


@pytest.fixture
async def user_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """An account holder of the own brand, on its Pro package: five live sites."""
    return await make_user(owner_connection, resources, package_ref=3)
