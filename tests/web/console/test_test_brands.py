"""The console shows that a brand is in test mode, and its time."""

from sitewright.kit import clock
from tests.support.browsing import page_text
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

AHEAD = "update brands set test_mode = true, clock_offset = '1000 days' where brand_ref = $1"


async def test_every_page_of_a_test_brand_shows_its_time(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    viewer = await log_in("viewer")
    assert "Test mode" not in page_text(await viewer.get("/console/overview"))
    await owner_connection.execute(AHEAD, OWN_BRAND)
    for path in ("/console/overview", "/console/customers", "/console/settings"):
        text = page_text(await viewer.get(path))
        assert "Test mode" in text
        assert str(clock.now().year + 2) in text or str(clock.now().year + 3) in text


async def test_lists_of_brands_name_test_brands(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    system_owner = await log_in("system-owner")
    await owner_connection.execute(AHEAD, OWN_BRAND)
    assert "Northwind Hosting (1) – Test mode" in page_text(await system_owner.get("/console"))
    assert "Northwind Hosting Test mode" in page_text(await system_owner.get("/console/system"))
