"""Others and other tabs change the site while somebody types: nothing is silently overwritten, nothing typed lost."""

import json
from secrets import token_hex
from typing import Any

import httpx
import pytest
from playwright.async_api import Route

from sitewright.sites.media.pictures.service import Format
from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import SERVICE, EditorWindow, eventually_stored, widget_values
from tests.browser.window import Window
from tests.support.customers import MAIN_ZONE, Customer, done, make_customer
from tests.support.eventually import eventually
from tests.support.pictures import picture

pytestmark = pytest.mark.system
LOOK = "dispatchEvent(new Event('focus'))"
"""The editor looks for changes of others when its window gets the focus."""
NOTICE = "This site was changed in another window. You now see the current state."
NOTICE_LATER = "This site was changed in another window. You see the changes as soon as you have finished typing."
CONFLICT = "Somebody else changed this"


class Site:
    def __init__(self, editor: EditorWindow, page: int, first: int, second: int) -> None:
        self.editor, self.customer = editor, editor.customer
        self.page, self.first, self.second = page, first, second

    async def others_change(self, ref: int, **values: str) -> None:
        [etag] = [each["etag"] for each in (await self.content())["widgets"] if each["ref"] == ref]
        await self.others_make({"kind": "setValues", "widgetRef": ref, "etag": etag, "values": values})

    async def others_add(self, kind: str, **values: str) -> None:
        """After the two headings."""
        place = {"pageRef": self.page, "parentId": MAIN_ZONE, "position": 2}
        await self.others_make({"kind": "addWidget", **place, "type": f"widget.{kind}", "values": values})

    async def content(self) -> dict[str, Any]:
        found: dict[str, Any] = (await done(self.customer.client.get(f"{self.customer.path}/content")))["content"]
        return found

    async def others_make(self, change: dict[str, Any]) -> None:
        """In another window, as the editor does it."""
        body = {"id": token_hex(), "session": "others", "change": change}
        await done(self.customer.client.post(f"{self.customer.path}/changes", json=body))

    async def look(self, notice: str) -> None:
        await self.editor.page.evaluate(LOOK)
        await self.editor.window.sees(notice)


async def open_site(client: httpx.AsyncClient, window: OpenWindow, host: str) -> Site:
    customer = await make_customer(client, 1, host)
    page = await customer.add_page("home", "Home")
    refs = [
        await customer.add_widget(page, "heading", name, text=text)
        for name, text in (("one", "First"), ("two", "Second"))
    ]
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("Second")
    return Site(editor, page, *refs)


async def text_of(client: httpx.AsyncClient, customer: Customer) -> list[str]:
    return [each["text"] for each in await widget_values(client, customer)]


async def test_a_key_in_an_open_text_does_not_overwrite_what_others_wrote(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "open-text.example")
    editor = site.editor
    await editor.site.get_by_text("First", exact=True).click()
    await editor.page.keyboard.press("End")
    await site.others_change(site.first, text="Theirs")
    await site.look(NOTICE_LATER)
    await editor.page.keyboard.insert_text(" and mine")
    await editor.window.sees(CONFLICT)
    assert await text_of(client, site.customer) == ["Theirs", "Second"]
    assert await editor.dialog.get_by_label("What you typed").input_value() == "First and mine"
    await editor.button("Copy my text, keep theirs").click()
    await editor.shows("Theirs")
    await editor.is_saved()
    assert await text_of(client, site.customer) == ["Theirs", "Second"]
    editor.window.faults.clear()


async def test_a_text_that_is_left_unchanged_shows_what_others_wrote(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "left-text.example")
    editor = site.editor
    await editor.site.get_by_text("First", exact=True).click()
    await site.others_change(site.first, text="Theirs")
    await site.look(NOTICE_LATER)
    await editor.page.keyboard.press("Escape")
    await editor.shows("Theirs")
    await editor.insert("Theirs", "Mine")
    await eventually_stored(client, site.customer, text="Mine")
    assert await editor.dialog.count() == 0


async def test_a_form_in_use_stays_when_others_change_another_block(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "form-in-use.example")
    editor = site.editor
    await editor.site.get_by_text("First", exact=True).click()
    await editor.open_form()
    field = editor.panel.get_by_label("Text")
    await field.fill("Typed")
    await editor.is_saved()
    await field.evaluate("element => { element.dataset.same = '1'; element.value = 'Typed by an input method'; }")
    await site.others_change(site.second, text="Theirs")
    await site.look(NOTICE)
    assert await field.get_attribute("data-same") == "1"
    await editor.page.keyboard.press("End")
    await editor.page.keyboard.insert_text(", on")
    await eventually_stored(client, site.customer, text="Typed by an input method, on")
    assert await editor.dialog.count() == 0


async def test_what_is_typed_into_a_form_does_not_overwrite_what_others_wrote(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "form-conflict.example")
    editor = site.editor
    await editor.site.get_by_text("First", exact=True).click()
    await editor.open_form()
    field = editor.panel.get_by_label("Text")
    await field.focus()
    await site.others_change(site.first, text="Theirs")
    await site.look(NOTICE_LATER)
    await editor.page.keyboard.press("End")
    await editor.page.keyboard.insert_text(" and mine")
    await editor.window.sees(CONFLICT)
    assert await text_of(client, site.customer) == ["Theirs", "Second"]
    await editor.button("Copy my text, keep theirs").click()
    await editor.shows("Theirs")
    await editor.dialog.get_by_label("Close").click()  # the text to copy by hand
    await eventually(lambda: has_value(editor, "Theirs"))
    await field.fill("Mine after all")
    await eventually_stored(client, site.customer, text="Mine after all")
    editor.window.faults.clear()


@pytest.mark.parametrize("looks", [True, False])
async def test_what_is_typed_into_a_block_that_others_have_added_is_saved(
    client: httpx.AsyncClient, window: OpenWindow, *, looks: bool
) -> None:
    site = await open_site(client, window, f"added-block-{looks}.example".lower())
    editor = site.editor
    await site.others_add("heading", text="Added by others")
    await editor.insert("First", "Mine")
    await editor.is_saved()
    await editor.page.keyboard.press("Escape")
    await editor.shows("Added by others")
    if looks:
        await site.look(NOTICE)
    await editor.insert("Added by others", "Continued by me")
    await eventually_stored(client, site.customer, text="Continued by me")
    await editor.is_saved()
    assert await text_of(client, site.customer) == ["Mine", "Second", "Continued by me"]
    assert await editor.dialog.count() == 0


async def has_value(editor: EditorWindow, value: str) -> bool:
    return await editor.panel.get_by_label("Text").input_value() == value


async def test_a_second_tab_sends_nothing_of_what_the_first_one_still_types(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "second-tab.example")
    editor = site.editor
    offline = {"isOn": True}

    async def cut_off(route: Route) -> None:
        if offline["isOn"] and route.request.method == "POST":
            await route.abort()
        else:
            await route.continue_()

    await editor.page.route("**/edit/changes", cut_off)
    await editor.insert("First", "Sent by the second tab")
    await editor.state("offline")
    await editor.insert("Second", "Begun")
    await editor.page.get_by_text("Offline: 2 changes kept").wait_for(state="attached")
    other = EditorWindow(Window(await editor.page.context.new_page()), site.customer)
    await other.page.goto(f"{SERVICE}{other.path}")
    await other.shows("Begun")
    await other.is_saved()
    await other.page.close()
    await editor.page.keyboard.insert_text(" and continued")
    offline["isOn"] = False
    await editor.is_saved()
    await eventually_stored(client, site.customer, text="Begun and continued")
    assert await text_of(client, site.customer) == ["Sent by the second tab", "Begun and continued"]
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()


async def test_a_field_of_the_design_does_not_overwrite_what_others_wrote(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "design-field.example")
    editor = site.editor
    await editor.tool("Design")
    field = editor.panel.locator("[data-part=announcement]").get_by_label("Text")
    await field.focus()
    bar = {"kind": "setStaticValue", "id": "announcement", "name": "text", "value": "Theirs", "etag": None}
    await site.others_make(bar)
    await site.look(NOTICE_LATER)
    await editor.page.keyboard.insert_text("Mine")
    await editor.window.sees(CONFLICT)
    assert [each["value"] for each in (await site.content())["staticValues"]] == ["Theirs"]
    assert await editor.dialog.get_by_label("What you typed").input_value() == "Mine"
    await editor.button("Copy my text, keep theirs").click()
    await editor.dialog.get_by_label("Close").click()  # the text to copy by hand

    async def shows_theirs() -> bool:
        return await field.input_value() == "Theirs"

    await eventually(shows_theirs)
    await field.fill("Theirs and mine")
    await editor.is_saved()
    await editor.shows("Theirs and mine")
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()


async def test_open_settings_of_a_page_do_not_overwrite_what_others_wrote(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "open-settings.example")
    editor = site.editor
    await editor.tool("Pages")
    await editor.panel.get_by_label("Actions for Home").click()
    await editor.button("Title, address, search").click()
    [page] = (await site.content())["pages"]
    renamed = {"kind": "editPage", "pageRef": site.page, "etag": page["etag"], "fields": {"title": "Theirs"}}
    await site.others_make(renamed)
    await site.look(NOTICE_LATER)
    await editor.dialog.get_by_label("Title", exact=True).fill("Mine")
    await editor.button("Save").click()
    await editor.window.sees(CONFLICT)
    assert await editor.dialog.get_by_label("What you typed").input_value() == "Mine"
    await editor.button("Copy my text, keep theirs").click()
    await editor.dialog.get_by_label("Close").click()
    await editor.panel.get_by_label("Actions for Theirs").wait_for()
    assert [each["page"]["title"] for each in (await site.content())["pages"]] == ["Theirs"]
    editor.window.faults.clear()


async def test_pictures_that_are_chosen_do_not_overwrite_what_others_chose(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    site = await open_site(client, window, "chosen-pictures.example")
    editor = site.editor
    files = {"file": ("mine.png", picture(Format.PNG, 64, 48), "image/png")}
    media = (await done(client.post(f"{site.customer.path}/media", files=files)))["media"]
    ours, theirs = ([{"src": f"media:{media['ref']}", "alt": alt}] for alt in ("Ours", "Theirs"))
    await site.others_add("gallery", images=json.dumps(ours))
    await site.look(NOTICE)
    await editor.site.get_by_role("img", name="Ours").click()
    await editor.panel.get_by_role("button", name="Add pictures").click()
    await editor.dialog.get_by_role("button", name="mine.png").click()
    [gallery] = [each for each in (await site.content())["widgets"] if each["type"] == "widget.gallery"]
    await site.others_change(gallery["ref"], images=json.dumps(theirs))
    await site.look(NOTICE_LATER)
    await editor.button("Use").click()
    await editor.window.sees(CONFLICT)
    assert await editor.dialog.get_by_label("What you typed").input_value() == "Ours"
    assert [each.get("images") for each in await widget_values(client, site.customer)][-1] == json.dumps(theirs)
    editor.window.faults.clear()
