"""Forms of blocks in the editor: opening hours and lists are filled in without knowing how they are stored."""

import json
from typing import Any

import httpx
import pytest

from tests.browser.editor.editing import EditorWindow, widget_values
from tests.browser.window import Window
from tests.support.customers import Customer, make_customer
from tests.support.eventually import eventually

pytestmark = pytest.mark.system


async def rows_of(client: httpx.AsyncClient, customer: Customer, name: str) -> list[dict[str, Any]]:
    """The entries of the list of the one block that has it."""
    found = [each[name] for each in await widget_values(client, customer) if name in each]
    rows: list[dict[str, Any]] = json.loads(found[0]) if found else []
    return rows


async def test_opening_hours_are_days_and_times(client: httpx.AsyncClient, visitor: Window) -> None:
    customer = await make_customer(client, 1, "hours-phone.example" if visitor.is_phone else "hours.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "openingHours", "hours", hours='[{"days": "mo-we", "times": "9:00-12:00"}]')
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.locator(".opening-hours td").first.click()
    await editor.open_form()
    first = editor.panel.locator(".list-rows > li").first
    await first.locator("summary").click()
    assert await first.get_by_label("From").input_value() == "09:00"
    await first.get_by_label("Wednesday").uncheck()
    await first.get_by_label("To").fill("13:30")
    await editor.panel.get_by_role("button", name="Add an item").click()
    second = editor.panel.locator(".list-rows > li").nth(1)
    await second.get_by_label("Sunday").check()
    await second.get_by_label("Saturday").uncheck()
    await second.get_by_label("Closed").check()
    assert not await second.get_by_label("From").is_visible()

    async def is_stored() -> bool:
        rows = await rows_of(client, customer, "hours")
        return [(each["days"], each["times"], each.get("closed")) for each in rows] == [
            ("mo,tu", "09:00-13:30", None),
            ("su", "09:00-17:00", "1"),
        ]

    await eventually(is_stored)
    await editor.site.locator(".opening-hours tr").nth(1).wait_for(state="attached")


async def test_an_answer_is_written_as_plain_text(client: httpx.AsyncClient, visitor: Window) -> None:
    customer = await make_customer(client, 1, "answers-phone.example" if visitor.is_phone else "answers.example")
    page = await customer.add_page("home", "Home")
    entries = '[{"question": "Open?", "answer": "<p>Yes &amp; no.</p>"}]'
    await customer.add_widget(page, "questions", "questions", questions=entries)
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.locator(".questions").click()
    await editor.open_form()
    await editor.panel.locator(".list-rows summary").click()
    field = editor.panel.get_by_label("Answer")
    assert await field.input_value() == "Yes & no."
    await field.fill("One <two>\n\nThree")

    async def is_stored() -> bool:
        rows = await rows_of(client, customer, "questions")
        return [each["answer"] for each in rows] == ["<p>One &lt;two&gt;</p><p>Three</p>"]

    await eventually(is_stored)
