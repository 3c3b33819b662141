import pytest

from sitewright.kit.resources import Resources
from tests.sites.content.shapes import Site
from tests.support.cast import RESELLER_REF
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, make_user


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Site:
    """A site of the owner's brand, with nothing on it."""
    return Site(await make_site(owner_connection, resources))


@pytest.fixture
async def other_site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Site:
    """Another one of the same brand: its user belongs to the reseller."""
    user_ref = await make_user(owner_connection, resources, username="bea", reseller_ref=RESELLER_REF)
    return Site(await make_site(owner_connection, resources, user_ref=user_ref))
