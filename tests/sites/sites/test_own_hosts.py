"""The service's own host names cannot be mapped."""

import pytest

from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.sites.sites.domains.service import check_free
from sitewright.sites.sites.errors import DomainTaken
from sitewright.tenants.brands import service as brands
from tests.support.cast import OWN_BRAND, TESTER


@pytest.mark.parametrize(
    ("installed", "own"),
    [
        (Settings(host="api.service.example"), "api.service.example"),
        (Settings(public_url="https://Login.Service.Example:8443/"), "login.service.example"),
    ],
)
async def test_service_hosts_cannot_be_mapped(resources: Resources, installed: Settings, own: str, clean: None) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        brand = await brands.settings_of_brand(tx)
        with pytest.raises(DomainTaken):
            await check_free(tx, installed, TESTER, brand, own)
        await check_free(tx, installed, TESTER, brand, f"shop.{own}")
