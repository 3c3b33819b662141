"""The editor with each of its panels and dialogs open: axe finds nothing, it fits, and fingers hit every control."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
from playwright.async_api import Browser

from tests.browser.editor.editing import EditorWindow
from tests.browser.editor.test_panels import make_published
from tests.browser.editor.test_pictures import file
from tests.browser.test_every_page import PHONE, findings_of, small_targets
from tests.browser.window import Window
from tests.support.customers import Customer, make_customer
from tests.support.service import Service
from tests.support.timeouts import HANG_SECONDS

pytestmark = pytest.mark.system
Step = Callable[[EditorWindow], Awaitable[None]]


def tool(name: str, shown: str) -> Step:
    async def show(editor: EditorWindow) -> None:
        await editor.tool(name)
        await editor.panel.get_by_text(shown, exact=True).first.wait_for()

    return show


async def redirects(editor: EditorWindow) -> None:
    await tool("Pages", "Our menu")(editor)
    await editor.panel.get_by_role("button", name="Redirects").click()
    await editor.panel.get_by_role("button", name="Add redirect").wait_for()


async def page_menu(editor: EditorWindow) -> None:
    await tool("Pages", "Our menu")(editor)
    await editor.panel.locator(".page-menu summary").nth(1).click()
    await editor.panel.get_by_role("button", name="Title, address, search").wait_for()


async def page_settings(editor: EditorWindow) -> None:
    await page_menu(editor)
    await editor.panel.get_by_role("button", name="Title, address, search").click()
    await editor.dialog.get_by_label("Address").wait_for()


async def version(editor: EditorWindow) -> None:
    await tool("History", "Online")(editor)
    await editor.panel.get_by_role("button", name="View").nth(1).click()
    await editor.dialog.frame_locator("iframe").get_by_text("Before", exact=True).wait_for(state="attached")


async def share(editor: EditorWindow) -> None:
    await editor.tool("Preview")
    await editor.button("Share a link").click()
    await editor.panel.get_by_role("button", name="Create a link").click()
    await editor.panel.get_by_label("Address of the preview").first.wait_for()


async def own_css(editor: EditorWindow) -> None:
    await tool("Design", "Logo")(editor)
    await editor.panel.get_by_label("CSS rules").scroll_into_view_if_needed()


async def wrong_address(editor: EditorWindow) -> None:
    await tool("Design", "Logo")(editor)
    await editor.panel.get_by_label("Link", exact=True).fill("javascript:alert(1)")
    await editor.panel.get_by_text("This is not an address.").wait_for()


async def pictures(editor: EditorWindow) -> None:
    """The dialog with two pictures, and with one that was refused."""
    await editor.add_block("Gallery")
    await editor.panel.get_by_role("button", name="Add pictures").click()
    files = [file("bar.png"), file("menu.pdf", "application/pdf", b"%PDF"), file("door.png")]
    await editor.page.locator("input[type=file]").set_input_files(files)
    await editor.dialog.get_by_label("What does bar.png show?").wait_for()
    await editor.dialog.get_by_label("What does door.png show?").wait_for()


async def crop(editor: EditorWindow) -> None:
    await pictures(editor)
    await editor.dialog.get_by_role("button", name="Crop", exact=True).click()
    await editor.page.get_by_role("button", name="Lower right corner").wait_for()


STEPS: dict[str, Step] = {
    "add": tool("Add", "Heading"),
    "pages": page_menu,
    "page settings": page_settings,
    "redirects": redirects,
    "design": tool("Design", "Logo"),
    "own css": own_css,
    "wrong address": wrong_address,
    "pictures": pictures,
    "crop": crop,
    "history": tool("History", "Online"),
    "version": version,
    "share": share,
}


@pytest.fixture(scope="module")
async def customer(service: Service, client: httpx.AsyncClient) -> Customer:
    return await make_published(service, client, "accessible.example")


@pytest.fixture(scope="module")
async def empty(client: httpx.AsyncClient) -> Customer:
    return await make_customer(client, 1, "accessible-welcome.example")


@pytest.fixture(params=[(320, "light"), (768, "dark"), (1440, "light")], ids=str)
async def window(request: pytest.FixtureRequest, chromium: Browser) -> AsyncIterator[Window]:
    width, scheme = request.param
    context = await chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True
    )
    context.set_default_timeout(HANG_SECONDS * 1000)
    yield Window(await context.new_page())
    await context.close()


async def problems_of(editor: EditorWindow) -> list[str]:
    found = list(await findings_of(editor.page))
    width, screen = await editor.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    if width > screen:
        found.append(f"{width} wide on a screen of {screen}")
    return found + (list(await small_targets(editor.page)) if screen < PHONE else [])


async def test_every_panel_is_accessible_and_fits(window: Window, customer: Customer) -> None:
    editor = await EditorWindow.open(window, customer)
    found = []
    for name, show in STEPS.items():
        await show(editor)
        found += [f"{name}: {each}" for each in await problems_of(editor)]
        await editor.page.reload()
        await editor.is_saved()
    assert found == []


async def test_the_welcome_is_accessible_and_fits(window: Window, empty: Customer) -> None:
    editor = await EditorWindow.open(window, empty)
    await editor.button("Skip").wait_for()
    assert await problems_of(editor) == []
