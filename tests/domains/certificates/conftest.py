import pytest

from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection

HOST, SECOND, THEIRS = "www.bakery.example", "shop.bakery.example", "www.rival.example"


@pytest.fixture(autouse=True)
async def site_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """A site with two domains; another brand has one of its own."""
    site_ref = await make_site(owner_connection, resources)
    for host in (HOST, SECOND):
        await make_domain(owner_connection, OWN_BRAND, site_ref, host)
    theirs = await make_site(owner_connection, resources, OTHER_BRAND)
    await make_domain(owner_connection, OTHER_BRAND, theirs, THEIRS)
    return site_ref
