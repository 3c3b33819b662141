import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.sites.media.library import Library
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection


@pytest.fixture
async def library(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> Library:
    """Of a site of the owner's brand, whose user has the free package: 100 MiB."""
    site_ref = await make_site(owner_connection, resources)
    domain_ref = await make_domain(owner_connection, OWN_BRAND, site_ref, "www.bar.example")
    await owner_connection.execute("update sites set primary_domain_ref = $2 where ref = $1", site_ref, domain_ref)
    return Library(owner, site_ref)
