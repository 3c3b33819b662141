"""Forms of blocks in the editor: hours, lists and addresses are filled in without knowing how they are stored."""

import json
from typing import Any

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow, eventually_stored, widget_values
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


PEOPLE = '[{"name": "Dora Dent", "role": "Dentist"}, {"name": "Tom Clean"}]'
HOURS = '[{"days": "mo,tu", "times": "9:00-12:00,14:00-18:00"}, {"days": "su", "closed": "1"}]'


@pytest.mark.parametrize(
    ("kind", "values", "words", "entries"),
    [
        ("team", {"people": PEOPLE}, "Dora Dent", ["Dora Dent\nDentist", "Tom Clean"]),
        ("openingHours", {"hours": HOURS}, "Closed", ["Mon, Tue\n09:00–12:00, 14:00–18:00", "Sun\nClosed"]),
    ],
)
async def test_a_second_click_opens_the_form_whose_entries_say_what_they_are(
    client: httpx.AsyncClient, visitor: Window, kind: str, values: dict[str, str], words: str, entries: list[str]
) -> None:
    customer = await make_customer(client, 1, f"{kind.lower()}-{'phone' if visitor.is_phone else 'desktop'}.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, kind, kind, **values)
    editor = await EditorWindow.open(visitor, customer)
    for _ in range(2):
        await editor.site.get_by_text(words, exact=True).click()
    rows = editor.panel.locator(".list-rows summary")
    await rows.first.wait_for(state="visible")
    assert await rows.all_inner_texts() == entries


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


async def test_a_link_is_checked_while_it_is_typed(client: httpx.AsyncClient, visitor: Window) -> None:
    customer = await make_customer(client, 1, "links-phone.example" if visitor.is_phone else "links.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "button", "book", text="Book", url="/book")
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.get_by_text("Book", exact=True).click()
    await editor.page.keyboard.press("Escape")  # no typing into the page
    await editor.open_form()
    link = editor.panel.locator("[data-focus=url]")
    problem = editor.panel.get_by_text("This is not an address.")
    await link.fill("javascript:alert(1)")
    await problem.wait_for()
    assert await link.get_attribute("aria-invalid") == "true"
    await editor.panel.get_by_label("Text").fill("Book now")  # what is right is saved all the same
    await eventually_stored(client, customer, text="Book now", url="/book")
    await problem.wait_for()
    await link.fill("https://shop.example/book")
    await problem.wait_for(state="detached")
    await eventually_stored(client, customer, url="https://shop.example/book")
    await link.fill("ann@shop.example")
    await link.press("Tab")
    await eventually_stored(client, customer, url="mailto:ann@shop.example")
    assert await link.input_value() == "mailto:ann@shop.example"


async def test_contact_details_of_people_are_checked_while_they_are_typed(
    client: httpx.AsyncClient, visitor: Window
) -> None:
    customer = await make_customer(client, 1, "people-phone.example" if visitor.is_phone else "people.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "team", "team", people='[{"name": "Ann"}]')
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.get_by_text("Ann", exact=True).click()
    await editor.open_form()
    await editor.panel.locator(".list-rows summary").click()
    email, phone = editor.panel.get_by_label("E-mail"), editor.panel.get_by_label("Telephone")
    await email.fill("ann@shop")
    await editor.panel.get_by_text("Please write an e-mail address, like ann@example.com.").wait_for()
    await phone.fill("ask me")
    await editor.panel.get_by_text("Please write a telephone number, like +44 20 7946 0000.").wait_for()
    await editor.panel.get_by_label("Name").fill("Ann Baker")

    async def is_stored(**wanted: str) -> bool:
        [row] = await rows_of(client, customer, "people")
        return {name: row.get(name) or "" for name in ("name", "email", "phone")} == wanted

    await eventually(lambda: is_stored(name="Ann Baker", email="", phone=""))
    await email.fill("ann@shop.example")
    await phone.fill("+44 20 7946 0000")
    await editor.panel.locator(".field-error").first.wait_for(state="detached")
    await eventually(lambda: is_stored(name="Ann Baker", email="ann@shop.example", phone="+44 20 7946 0000"))


async def test_a_link_in_a_text_is_checked(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "text-links.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "content", "text", content="<p>Welcome</p>")
    editor = await EditorWindow.open(await window(), customer)
    await editor.site.get_by_text("Welcome", exact=True).click()
    await editor.page.keyboard.press("ControlOrMeta+a")
    await editor.site.get_by_role("button", name="Link", exact=True).click()
    await editor.dialog.get_by_label("Where it leads").fill("file:///etc")
    await editor.page.keyboard.press("Enter")
    await editor.dialog.get_by_text("This is not an address.").wait_for()
    await editor.dialog.get_by_label("Where it leads").fill("shop.example")
    await editor.page.keyboard.press("Enter")
    linked = '<p><a href="https://shop.example" rel="noopener">Welcome</a></p>'
    await eventually_stored(client, customer, content=linked)
