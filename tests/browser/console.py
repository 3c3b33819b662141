"""What operators do in the console, in a window of any size."""

from tests.browser.window import Window
from tests.support.chromium import SERVICE_HOST
from tests.support.service import Service

CONSOLE = f"http://{SERVICE_HOST}/console"


async def log_in(window: Window, username: str, password: str) -> None:
    await window.open(f"{CONSOLE}/log-in")
    await window.page.get_by_label("User name").fill(username)
    await window.page.get_by_label("Password").fill(password)
    await window.expect_a_page_that_fits()
    await window.button("Log in").click()


async def log_in_admin(service: Service, window: Window, brand: int = 0) -> None:
    """`brand` counts the brands of the demo: tests that change a brand change the second one, for the others' sake."""
    basic = service.demo["brands"][brand]["basic"]
    await log_in(window, basic["username"], basic["password"])
    await window.page.get_by_role("heading", name="Overview").wait_for()


async def open_menu(window: Window) -> None:
    """On a phone the navigation is behind a button."""
    if window.is_phone:
        await window.button("Menu").click()


async def go_to(window: Window, entry: str) -> None:
    """Follow an entry of the navigation."""
    await open_menu(window)
    await window.link(entry, "nav").click()


async def open_filters(window: Window) -> None:
    """On a phone most filters of a list are behind a button."""
    toggle = window.page.locator(".list-filter-toggle")
    if window.is_phone and await toggle.get_attribute("open") is None:
        await toggle.locator("summary").click()
