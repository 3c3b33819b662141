"""The reference at `/docs`, as integrators read it on a desktop screen and on a phone."""

import pytest

from tests.browser.window import Window
from tests.support.chromium import SERVICE_HOST

pytestmark = pytest.mark.system


async def test_finds_the_clients_and_how_they_were_tested(visitor: Window) -> None:
    await visitor.page.goto(f"http://{SERVICE_HOST}/docs")
    await visitor.link("clients and how they were tested").click()
    heading = visitor.page.get_by_role("heading", name="Clients and how they were tested")
    await heading.wait_for(state="visible")
    [header] = await visitor.boxes("header.shell-top")
    [shown] = await visitor.boxes("#clients")
    assert header.is_above(shown)  # the bar at the top does not hide what was asked for
    rows = visitor.page.get_by_role("row", name="RestSharp .NET")
    assert "consistentTypes" in await rows.inner_text()
    [clients] = await visitor.boxes("#clients")
    [first_feature] = await visitor.boxes("#feature-brands")
    assert clients.is_above(first_feature)  # as in the navigation
    await visitor.expect_a_page_that_fits()
