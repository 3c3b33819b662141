"""Editing as people do it: from an empty site to a published one, on a desktop and on a phone."""

import httpx
import pytest
from playwright.async_api import FilePayload

from sitewright.sites.media.pictures.service import Format
from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow, eventually_stored, widget_values
from tests.browser.window import Window
from tests.support.customers import Customer, done, make_customer
from tests.support.pictures import picture

pytestmark = pytest.mark.system


async def test_undo_and_redo_also_after_a_reload(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "undoing.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="Before")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("Before")
    await editor.write("Before", "After")
    await eventually_stored(client, customer, text="After")
    await editor.is_saved()
    await editor.page.reload()
    await editor.is_saved()
    await editor.button("Undo").click()
    await editor.shows("Before")
    await editor.button("Redo").click()
    await editor.shows("After")
    assert (await widget_values(client, customer))[0]["text"] == "After"


async def test_a_block_is_changed_by_its_form_duplicated_and_deleted(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    customer = await make_customer(client, 1, "forms.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "button", "book", text="Book", url="/book")
    editor = await EditorWindow.open(await window(), customer)
    await editor.site.get_by_text("Book", exact=True).click()
    await editor.panel.get_by_label("Text").fill("Book now")
    await eventually_stored(client, customer, text="Book now")
    await editor.panel.get_by_role("button", name="Duplicate").click()
    await editor.site.get_by_text("Book now").nth(1).wait_for(state="visible")
    await editor.panel.get_by_role("button", name="Delete").click()
    await editor.is_saved()
    await editor.site.get_by_text("Book now").nth(1).wait_for(state="detached")
    assert len(await widget_values(client, customer)) == 1


async def test_a_picture_is_uploaded_described_and_shown(client: httpx.AsyncClient, visitor: Window) -> None:
    customer = await make_customer(client, 1, "library-phone.example" if visitor.is_phone else "library.example")
    await customer.add_page("home", "Home")
    editor = await EditorWindow.open(visitor, customer)
    await editor.add_block("Picture")  # which asks for the picture at once
    file = FilePayload(name="bar.png", mimeType="image/png", buffer=picture(Format.PNG, 40, 30))
    await editor.page.locator("input[type=file]").set_input_files([file])
    await editor.dialog.get_by_label("What does it show?").fill("The bar")
    await editor.button("Use").click()
    await editor.is_saved()
    await editor.site.get_by_role("img", name="The bar").wait_for(state="attached")
    listed = (await done(client.get(f"{customer.path}/media")))["media"]
    assert [(each["name"], each["alt"]) for each in listed] == [("bar.png", "The bar")]


async def test_design_changes_show_at_once(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "design.example")
    await customer.add_page("home", "Home")
    editor = await EditorWindow.open(await window(), customer)
    await editor.tool("Design")
    await editor.panel.get_by_role("button", name="Vineyard").click()
    await editor.site.locator("html[data-colours='3']").wait_for(state="attached")
    await editor.panel.get_by_label("Text", exact=True).fill("Closed on Monday")
    await editor.shows("Closed on Monday")


async def test_the_button_undoes_what_is_being_typed_and_leaving_the_text_does_not_bring_it_back(
    client: httpx.AsyncClient, visitor: Window
) -> None:
    customer = await make_customer(client, 1, "undo-phone.example" if visitor.is_phone else "undo-desktop.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="Our shop")
    await customer.add_widget(page, "content", "second", content="<p>Before</p>")
    editor = await EditorWindow.open(visitor, customer)
    await editor.write("Before", "After")
    await eventually_stored(client, customer, content="<p>After</p>")
    await editor.is_saved()
    await editor.button("Undo").click()
    await editor.shows("Before")
    await editor.site.get_by_text("Our shop").click()
    await editor.button("Redo").click()  # refused if leaving the text had made another change
    await editor.shows("After")


async def test_leaving_a_text_does_not_change_back_what_somebody_else_wrote_into_it(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    customer = await make_customer(client, 1, "two-authors.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="Our shop")
    await customer.add_widget(page, "content", "second", content="<p>Before</p>")
    editor = await EditorWindow.open(await window(), customer)
    await editor.write("Before", "Mine")
    await eventually_stored(client, customer, content="<p>Mine</p>")
    other = await EditorWindow.open(await window(), customer)
    await other.write("Mine", "Theirs")
    await eventually_stored(client, customer, content="<p>Theirs</p>")
    await editor.page.evaluate("dispatchEvent(new Event('focus'))")  # looks for changes at once
    await editor.page.get_by_text("changed in another window").wait_for()
    await editor.page.keyboard.press("Escape")
    await editor.shows("Theirs")
    assert (await widget_values(client, customer))[1]["content"] == "<p>Theirs</p>"


async def _with_a_change(client: httpx.AsyncClient, window: OpenWindow, domain: str) -> tuple[Customer, EditorWindow]:
    """The heading "Our shop" was changed to "Our bakery"."""
    customer = await make_customer(client, 1, domain)
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="Our shop")
    editor = await EditorWindow.open(await window(), customer)
    await editor.write("Our shop", "Our bakery")
    await eventually_stored(client, customer, text="Our bakery")
    await editor.is_saved()
    return customer, editor


async def test_a_step_counts_as_unsaved_from_the_click_on(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer, editor = await _with_a_change(client, window, "unsaved-step.example")
    for name in ("Undo", "Redo"):
        clicked = "button => { button.click(); return document.querySelector('[data-indicator]').dataset.state; }"
        assert await editor.button(name).evaluate(clicked) == "saving"
        await editor.is_saved()
    await eventually_stored(client, customer, text="Our bakery")


async def test_a_step_is_taken_although_the_page_does_not_answer(client: httpx.AsyncClient, window: OpenWindow) -> None:
    """The browser's Back may lead the frame to an error page, which has no script of the editor."""
    customer, editor = await _with_a_change(client, window, "silent-page.example")
    await editor.page.locator("[data-stage] iframe").evaluate("frame => { frame.srcdoc = 'Gone'; }")
    await editor.site.get_by_text("Our bakery").wait_for(state="detached")
    await editor.button("Undo").click()
    await eventually_stored(client, customer, text="Our shop")
    await editor.is_saved()
