from collections.abc import AsyncIterator

import pytest

from sitewright.demo.authority.service import Authority, authority
from sitewright.kit.resources import Resources
from tests.support.automatic_certificates import Certified, certified_site
from tests.support.users import OwnerConnection

HOST, WWW = "bakery.example", "www.bakery.example"


@pytest.fixture(autouse=True)
def site_ref() -> None:
    """Not the site of the other tests of certificates."""


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> AsyncIterator[Certified]:
    async with certified_site(owner_connection, resources) as certified:
        yield certified


@pytest.fixture
async def ca(site: Certified) -> AsyncIterator[Authority]:
    """The authority that the service uses; it asks the edge server of `site`."""
    async with authority(http_port=site.edge_port) as running:
        site.use(running)
        yield running
