"""The console of a test brand, on a desktop and on a phone: it says that nothing is real, and what time it is."""

import pytest

from tests.browser.console import log_in
from tests.browser.window import Window
from tests.support.service import Service

pytestmark = pytest.mark.system


async def test_a_test_brand_shows_its_clock(service: Service, visitor: Window) -> None:
    basic = service.demo["testBrand"]["basic"]
    await log_in(visitor, basic["username"], basic["password"])
    mark = visitor.page.locator(".console-test")
    await mark.get_by_text("Test mode").wait_for()
    await mark.locator("time").wait_for()
    await visitor.expect_a_page_that_fits()
