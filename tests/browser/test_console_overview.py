"""The overview of the console on a desktop and on a phone: values under the pointer and by keyboard, the period, and
everything again without scripts. A violation of the content security policy is an error of the window."""

from datetime import timedelta
from typing import Literal

import pytest
from playwright.async_api import Locator, Position

from sitewright.kit import clock
from tests.browser.conftest import OpenWindow
from tests.browser.test_every_page import findings_of, small_targets
from tests.browser.window import Window
from tests.support.brand_history import add_history
from tests.support.cast import OWN_BRAND
from tests.support.chromium import SERVICE_HOST
from tests.support.service import Service, owner_of

pytestmark = pytest.mark.system
OVERVIEW = f"http://{SERVICE_HOST}/console/overview"
ACCOUNTS = "Accounts over time"
PACKAGES = "Free, trial and paid accounts over time"


@pytest.fixture(scope="module", autouse=True)
async def history(service: Service) -> None:
    async with owner_of(service) as connection:
        await add_history(connection, OWN_BRAND, clock.now().date())


async def open_overview(service: Service, window: Window, query: str = "") -> None:
    """As a viewer, who is sent to the log-in page first."""
    viewer = service.demo["staff"]["viewer"]
    await window.page.goto(OVERVIEW + query)
    await window.page.get_by_label("User name").fill(viewer["username"])
    await window.page.get_by_label("Password").fill(viewer["password"])
    await window.button("Log in").click()
    await window.page.get_by_role("heading", name="Overview", exact=True).wait_for()


def slider(window: Window, title: str) -> Locator:
    """The chart that a script has drawn."""
    return window.page.get_by_role("slider", name=title, exact=True)


def figure(window: Window, title: str) -> Locator:
    return window.page.locator("figure.chart").filter(has=window.page.get_by_text(title, exact=True))


async def row(window: Window, title: str, index: int) -> list[str]:
    """A row of the table behind a chart: the day and its values."""
    cells = figure(window, title).locator("tbody tr").nth(index).locator("th, td")
    return [text.strip() for text in await cells.all_text_contents()]


async def tip(window: Window, title: str) -> list[str]:
    """The day and the values that the chart shows under its cursor."""
    box = figure(window, title).locator(".chart-tip")
    await box.wait_for(state="visible")
    return [text.strip() for text in await box.locator("p, strong").all_text_contents()]


async def test_shows_the_values_under_the_pointer(service: Service, visitor: Window) -> None:
    await open_overview(service, visitor)
    for title, share in ((ACCOUNTS, 0.5), (PACKAGES, 0.1)):
        chart = slider(visitor, title)
        await chart.scroll_into_view_if_needed()
        box = await chart.bounding_box()
        assert box is not None
        place: Position = {"x": box["width"] * share, "y": box["height"] / 2}
        await (chart.tap(position=place) if visitor.is_phone else chart.hover(position=place))
        shown = await tip(visitor, title)
        rows = [await row(visitor, title, index) for index in range(30)]
        assert shown in rows
        assert abs(rows.index(shown) - share * 30) < 2
        assert not await figure(visitor, title).locator(".plot > svg").is_visible()
    await visitor.expect_a_page_that_fits()


async def test_the_keyboard_reads_every_day(service: Service, visitor: Window) -> None:
    await open_overview(service, visitor)
    chart, keys = slider(visitor, ACCOUNTS), visitor.page.keyboard
    await visitor.tab_to(chart)
    assert await tip(visitor, ACCOUNTS) == await row(visitor, ACCOUNTS, 29), "the last day, at first"
    for key, index in (("Home", 0), ("ArrowRight", 1), ("PageUp", 8), ("ArrowLeft", 7), ("End", 29)):
        await keys.press(key)
        day, current, previous = await row(visitor, ACCOUNTS, index)
        assert await tip(visitor, ACCOUNTS) == [day, current, previous]
        spoken = await chart.get_attribute("aria-valuetext")
        assert spoken == f"{day}: This period {current}, Period before {previous}"
    await keys.press("Escape")
    await figure(visitor, ACCOUNTS).locator(".chart-tip").wait_for(state="hidden")


async def test_another_period_is_one_click_or_two_dates_away(service: Service, visitor: Window) -> None:
    await open_overview(service, visitor)
    await visitor.link("Last 7 days").click()
    await visitor.page.wait_for_url("**/console/overview?from=*&to=*")
    await slider(visitor, ACCOUNTS).wait_for()
    assert await figure(visitor, ACCOUNTS).locator("tbody tr").count() == 7
    today = clock.now().date()
    first, last = today - timedelta(days=400), today - timedelta(days=36)
    await visitor.page.get_by_label("From", exact=True).fill(str(first))
    await visitor.page.get_by_label("To", exact=True).fill(str(last))
    await visitor.button("Show").click()
    await visitor.page.wait_for_url(f"**/console/overview?from={first}&to={last}")
    await slider(visitor, "Visits a day, averages of 7 days").wait_for()
    await visitor.expect_a_page_that_fits()
    await visitor.page.get_by_label("From", exact=True).fill(str(last))
    await visitor.page.get_by_label("To", exact=True).fill(str(first))
    await visitor.button("Show").click()
    await visitor.page.get_by_text("The last day must not be before the first one.").wait_for()
    visitor.expect_failure(f"/console/overview?from={last}&to={first}")
    assert await visitor.link("Last 30 days").get_attribute("aria-current") == "true"
    await visitor.expect_a_page_that_fits()


async def test_charts_follow_the_window_and_the_color_scheme(service: Service, window: OpenWindow) -> None:
    visitor = await window("desktop")
    await visitor.page.emulate_media(color_scheme="light")
    await open_overview(service, visitor)
    canvas = slider(visitor, ACCOUNTS).locator("canvas")
    light = await canvas.evaluate("canvas => canvas.toDataURL()")
    await visitor.page.emulate_media(color_scheme="dark")
    await visitor.page.wait_for_function(
        "([canvas, light]) => canvas.toDataURL() !== light", arg=[await canvas.element_handle(), light]
    )
    await visitor.page.set_viewport_size({"width": 500, "height": 800})
    await visitor.page.wait_for_function(
        "canvas => canvas.clientWidth === canvas.closest('.chart-live').clientWidth && canvas.clientWidth < 450",
        arg=await canvas.element_handle(),
    )
    await visitor.expect_a_page_that_fits()


@pytest.mark.parametrize("width", [320, 390, 1440])
async def test_it_is_accessible(service: Service, window: OpenWindow, width: int) -> None:
    visitor = await window("desktop")
    await visitor.page.set_viewport_size({"width": width, "height": 900})
    await open_overview(service, visitor, "?from=2025-01-01&to=2025-12-31")
    await visitor.tab_to(slider(visitor, ACCOUNTS))
    await tip(visitor, ACCOUNTS)
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        await visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert await findings_of(visitor.page) == []
    if width < 500:
        assert await small_targets(visitor.page) == []
    await visitor.expect_a_page_that_fits()


@pytest.mark.parametrize("screen", ["desktop", "phone"])
async def test_everything_is_there_without_scripts(service: Service, window: OpenWindow, screen: str) -> None:
    visitor = await window(screen, javascript=False)
    await open_overview(service, visitor)
    charts = visitor.page.locator("figure.chart")
    assert await charts.count() == 10
    for number in range(10):
        await charts.nth(number).get_by_role("img").wait_for(state="visible")
        table = charts.nth(number).get_by_role("table")
        assert not await table.is_visible()
        await charts.nth(number).get_by_text("Show as a table").click()
        await table.wait_for(state="visible")
    assert await slider(visitor, ACCOUNTS).count() == 0
    await visitor.expect_a_page_that_fits()
    await visitor.page.get_by_label("From", exact=True).fill("2025-03-01")
    await visitor.page.get_by_label("To", exact=True).fill("2025-03-31")
    await visitor.button("Show").click()
    await visitor.page.get_by_text("Mar 1 – 31, 2025, compared with Jan 29 – Feb 28, 2025.").wait_for()
    assert await figure(visitor, ACCOUNTS).locator("tbody tr").count() == 31


async def test_the_drawing_stays_where_the_script_fails(service: Service, window: OpenWindow) -> None:
    visitor = await window("desktop")
    await visitor.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => { throw new Error('none'); }")
    async with visitor.page.expect_event("pageerror"):
        await open_overview(service, visitor)
    visitor.faults.clear()
    await figure(visitor, ACCOUNTS).get_by_role("img").wait_for(state="visible")
    assert await slider(visitor, ACCOUNTS).count() == 0
