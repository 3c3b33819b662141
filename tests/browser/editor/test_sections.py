"""Ready-made sections in the editor: added with one click, removed by one step of undo."""

import httpx
import pytest

from tests.browser.editor.editing import EditorWindow, widget_values
from tests.browser.window import Window
from tests.support.customers import make_customer

pytestmark = pytest.mark.system


async def test_a_section_is_one_click_and_one_step(client: httpx.AsyncClient, visitor: Window) -> None:
    customer = await make_customer(client, 1, "sections-phone.example" if visitor.is_phone else "sections.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="First")
    editor = await EditorWindow.open(visitor, customer)
    await editor.add_section("Questions")
    await editor.shows("How can I pay?")
    await editor.add_section("Contact")
    await editor.shows("Write to us")
    order = ["First", "How can I pay?", "How to reach us"]
    assert await editor.order_of(*order) == order, "a section goes behind the section whose block is selected"
    await editor.button("Undo").click()
    await editor.site.get_by_text("How to reach us").wait_for(state="detached")
    await editor.is_saved()
    assert len(await widget_values(client, customer)) == 3


async def test_every_choice_has_a_drawing_and_there_are_two_in_a_row(
    client: httpx.AsyncClient, visitor: Window
) -> None:
    customer = await make_customer(client, 1, "drawings-phone.example" if visitor.is_phone else "drawings.example")
    await customer.add_page("home", "Home")
    editor = await EditorWindow.open(visitor, customer)
    await editor.tool("Add")
    await editor.button("Opening hours").first.wait_for(state="visible")
    empty = "uses => uses.filter(use => !document.querySelector(use.getAttribute('href'))?.childElementCount).length"
    uses = editor.panel.locator(".choice-drawing use")
    assert (await uses.count(), await uses.evaluate_all(empty)) == (9 + 24, 0)
    rows = "lists => lists.map(list => getComputedStyle(list).gridTemplateColumns.split(' ').length)"
    assert set(await editor.panel.locator(".choices").evaluate_all(rows)) == {2}
