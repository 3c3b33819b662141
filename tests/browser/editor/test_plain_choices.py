"""What new users stumbled over: numbers without words, hours in several places, and bars that cover what is above."""

from typing import Any

import httpx
import pytest
from playwright.async_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow, eventually_stored, widget_values
from tests.browser.window import Box, Window
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually

pytestmark = pytest.mark.system
BOX = """(element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const { x, y, width, height } = (element.matches("[role=toolbar]") ? element : range).getBoundingClientRect();
  return { x, y, width, height };
}"""
"""Of a bar, or of the words of another element."""
OLD, NEW = '[{"days": "mo-fr", "times": "09:00-17:00"}]', '[{"days": "sa", "times": "08:00-13:00"}]'


async def open_site(client: httpx.AsyncClient, window: Window, name: str) -> tuple[EditorWindow, Customer, int]:
    customer = await make_customer(client, 1, f"{name}-{'phone' if window.is_phone else 'desktop'}.example")
    home = await customer.add_page("home", "Home")
    await customer.add_widget(home, "heading", "title", text="Our bread", level="1")
    await customer.add_widget(home, "content", "words", content="<p>Baked at five in the morning.</p>")
    return EditorWindow(window, customer), customer, home


async def start(editor: EditorWindow) -> None:
    await editor.log_in(editor.path)
    await editor.is_saved()


async def test_the_size_of_a_heading_has_words(client: httpx.AsyncClient, visitor: Window) -> None:
    editor, customer, _ = await open_site(client, visitor, "sizes")
    await start(editor)
    await editor.site.get_by_text("Our bread").click()
    await editor.page.keyboard.press("Escape")
    await editor.open_form()
    size = editor.panel.get_by_label("Size")
    assert await size.evaluate("each => each.selectedOptions[0].label") == "Large: a new section"
    await size.select_option(label="Small")
    await eventually_stored(client, customer, text="Our bread", level="4")
    await editor.site.locator("h4").wait_for(state="visible")


async def test_hours_are_made_the_same_everywhere(client: httpx.AsyncClient, visitor: Window) -> None:
    editor, customer, home = await open_site(client, visitor, "same-hours")
    contact = await customer.add_page("contact", "Contact")
    await customer.add_widget(contact, "openingHours", "old", hours=OLD)
    await customer.add_widget(home, "openingHours", "new", hours=NEW)
    await start(editor)
    await editor.site.locator(".opening-hours td").first.click()
    await editor.open_form()
    await editor.panel.get_by_text("“Contact”").wait_for(state="visible")
    await editor.button("Use these hours there, too").click()

    async def are_the_same() -> bool:
        return [each["hours"] for each in await widget_values(client, customer) if "hours" in each] == [NEW, NEW]

    await eventually(are_the_same)


async def test_hours_that_are_not_saved_are_not_used_elsewhere(client: httpx.AsyncClient, visitor: Window) -> None:
    editor, customer, home = await open_site(client, visitor, "unsaved-hours")
    contact = await customer.add_page("contact", "Contact")
    await customer.add_widget(contact, "openingHours", "old", hours=OLD)
    await customer.add_widget(home, "openingHours", "new", hours=NEW)
    await start(editor)
    await editor.site.locator(".opening-hours td").first.click()
    await editor.open_form()
    await editor.page.route("**/edit/changes", lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
    await editor.panel.locator("summary").first.click()
    await editor.panel.get_by_label("To").first.fill("11:00")
    await editor.button("Use these hours there, too").click()
    await editor.page.get_by_text("That could not be saved. Try again.").wait_for(state="attached")
    await editor.page.unroute("**/edit/changes")
    await editor.is_saved()
    hours = [each["hours"] for each in await widget_values(client, customer) if "hours" in each]
    assert OLD in hours
    assert NEW not in hours
    editor.window.faults.clear()


async def test_new_hours_are_those_of_the_site(client: httpx.AsyncClient, window: OpenWindow) -> None:
    editor, customer, home = await open_site(client, await window(), "new-hours")
    await customer.add_widget(home, "openingHours", "hours", hours=NEW)
    await start(editor)
    await editor.add_block("Opening hours")
    await editor.is_saved()
    hours = [each["hours"] for each in await widget_values(client, customer) if "hours" in each]
    assert hours == [NEW, NEW]


async def test_a_chosen_page_is_in_view(client: httpx.AsyncClient, visitor: Window) -> None:
    """The list of pages stays beside it on a desktop, and makes way on a phone."""
    editor, customer, _ = await open_site(client, visitor, "choose-page")
    contact = await customer.add_page("contact", "Contact")
    await customer.add_widget(contact, "heading", "title", text="Find us")
    await start(editor)
    await editor.tool("Pages")
    await editor.panel.get_by_role("button", name="Contact", exact=True).click()
    await editor.shows("Find us")
    await editor.panel.wait_for(state="hidden" if visitor.is_phone else "visible")


async def test_the_bars_of_a_text_leave_its_heading_in_view(client: httpx.AsyncClient, visitor: Window) -> None:
    editor, _, _ = await open_site(client, visitor, "bars")
    await start(editor)
    heading = editor.site.get_by_text("Our bread", exact=True)
    await editor.site.get_by_text("Baked at five in the morning.").click()
    formatting = editor.site.get_by_role("toolbar", name="Formatting")
    await formatting.wait_for(state="visible")
    assert is_apart(await box_of(formatting), await box_of(heading))
    await editor.page.keyboard.press("Escape")
    block = editor.site.get_by_role("toolbar", name="Block")
    await block.wait_for(state="visible")
    assert is_apart(await box_of(block), await box_of(heading))


async def box_of(element: Locator) -> Box:
    return Box(**await element.evaluate(BOX))


def is_apart(one: Box, other: Box) -> bool:
    return any(a.is_above(b) or a.is_beside(b) for a, b in ((one, other), (other, one)))


async def test_examples_that_were_not_replaced_are_named_before_publishing(
    client: httpx.AsyncClient, visitor: Window
) -> None:
    editor, customer, _ = await open_site(client, visitor, "examples")
    await start(editor)
    await editor.add_section("Prices")
    await editor.add_section("Opening hours")
    hours = next(each["ref"] for each in await widgets(client, customer) if each["type"] == "widget.openingHours")
    await customer.set_values(hours, hours=NEW)
    await editor.page.reload()
    await editor.is_saved()
    await editor.button("Publish").click()
    await editor.dialog.get_by_text("The page “Home” still shows ready-made examples: Prices.").wait_for(
        state="visible"
    )
    await editor.button("Publish now").wait_for(state="visible")


async def widgets(client: httpx.AsyncClient, customer: Customer) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (await done(client.get(f"{customer.path}/widgets")))["widgets"]
    return listed
