"""Every type of block: added by the picker, filled in as its form or its place in the page suggests, and published."""

import re

import httpx
import msgspec
import pytest
from playwright.async_api import FilePayload, Locator

from sitewright.sites.content.widget_types.service import TYPES
from sitewright.sites.media.pictures.service import Format
from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow
from tests.browser.window import Window
from tests.support.customers import Customer, make_customer
from tests.support.eventually import eventually
from tests.support.pictures import picture
from tests.support.service import Service

pytestmark = pytest.mark.system
DESCRIPTION = re.compile(r"What does \S+ show\?")


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """What is entered, by the names that the form shows, and where a visitor finds it."""

    kind: str
    typed: str = ""
    """Into the page, where a new block has its text selected."""
    fields: dict[str, str] = {}
    item: dict[str, str] = {}
    """One more item of its list."""
    upload: str = ""
    """The description of a picture."""
    inside: str = ""
    """A heading in its first column."""
    found: str = ""
    """A selector in the published page, or a text."""


BLOCKS = [
    Block(kind="heading", typed="Every block", found="h2:text-is('Every block')"),
    Block(kind="content", typed="We bake at night.", found="p:text-is('We bake at night.')"),
    Block(kind="image", upload="The door", found="img[alt='The door']"),
    Block(kind="gallery", upload="A loaf", found="a:has(img[alt='A loaf'])"),
    Block(kind="slideshow", upload="A cake", found="[role=group] img[alt='A cake'], .slideshow img[alt='A cake']"),
    Block(kind="button", typed="Book now", fields={"Link": "/home"}, found="a:text-is('Book now')"),
    Block(kind="map", fields={"Address": "1 High Street"}, found="text='1 High Street'"),
    Block(kind="contactForm", typed="Ask us", fields={"Button text": "Send it"}, found="button:text-is('Send it')"),
    Block(kind="space", fields={"Height": "77"}, found="[style*='77px'], [data-height='77']"),
    Block(kind="html", fields={"HTML": "<p id='own'>Own HTML</p>"}, found="#own"),
    Block(kind="openingHours", fields={"Note": "Ring the bell"}, found="text='Ring the bell'"),
    Block(kind="questions", item={"Question": "Do you deliver?", "Answer": "Every day."}, found="text=/Do you del/"),
    Block(kind="prices", item={"Name": "Rye bread", "Price": "4.20"}, found="text='Rye bread'"),
    Block(kind="testimonials", item={"Quotation": "Best in town", "Name": "A neighbor"}, found="text=/Best in town/"),
    Block(kind="team", item={"Name": "Night shift", "Role": "Bakers"}, found="text='Night shift'"),
    Block(kind="iconList", item={"Title": "By bicycle", "Text": "To your door"}, found="text='By bicycle'"),
    Block(kind="downloads", item={"Link": "https://a.example/menu.pdf", "Title": "The menu"}, found="a[href*=pdf]"),
    Block(kind="divider", fields={"Style": "Dots"}, found="hr"),
    Block(
        kind="video",
        fields={"Address of the video": "https://www.youtube.com/watch?v=aqz-KE-bpKQ", "Title": "A walk"},
        found="a[href*='youtube']",
    ),
    Block(
        kind="embeddedMap",
        fields={"Address": "2 Mill Street", "Coordinates": "https://www.openstreetmap.org/#map=18/48.85837/2.29448"},
        found="a[data-embed*='marker=48.858370%2C2.294480']",
    ),
    Block(kind="socialLinks", item={"Link": "https://a.example/us", "Text": "Our pictures"}, found="a[href$='/us']"),
    Block(kind="news", item={"Date": "2026-10-01", "Title": "We open", "Text": "At last."}, found="text='We open'"),
    Block(kind="newsletter", typed="Letters", fields={"Text": "Twice a year"}, found="text='Twice a year'"),
    Block(
        kind="columns",
        fields={"Arrangement": "3 side by side"},
        inside="In a column",
        found=".column :text-is('In a column')",
    ),
]  # fmt: skip
ON_A_PHONE = ("heading", "image", "gallery", "openingHours", "questions", "columns")


async def press(editor: EditorWindow, target: Locator) -> None:
    await (target.tap() if editor.window.is_phone else target.click())


async def pick(editor: EditorWindow, kind: str) -> None:
    await press(editor, editor.panel.locator(f"button:has(use[href='#block-{kind}'])"))
    await editor.panel.locator(".choices").first.wait_for(state="hidden")


async def add(editor: EditorWindow, block: Block) -> None:
    if editor.window.is_phone and await editor.panel.is_visible():
        await editor.button("Close").click()
    await press(editor, editor.site.locator("[data-zone-end] button").last)
    await pick(editor, block.kind)
    if block.typed:
        await type_in_page(editor, block.typed)
    if block.kind == "image":
        await upload(editor, block.upload)
    elif block.upload:
        await press(editor, editor.panel.get_by_role("button", name="Add pictures"))
        await upload(editor, block.upload)
    if block.fields or block.item:
        await fill_form(editor, block)
    if block.inside:
        await fill_column(editor, block)
    await editor.is_saved()


async def type_in_page(editor: EditorWindow, words: str) -> None:
    await editor.site.locator("[contenteditable]").wait_for(state="visible")
    await editor.page.keyboard.type(words)
    await editor.page.keyboard.press("Escape")


async def upload(editor: EditorWindow, description: str) -> None:
    file = FilePayload(name="picture.png", mimeType="image/png", buffer=picture(Format.PNG, 60, 40))
    await editor.page.locator("input[type=file]").set_input_files([file])
    await editor.dialog.get_by_label(DESCRIPTION).fill(description)
    await press(editor, editor.button("Use"))
    await editor.site.get_by_role("img", name=description).first.wait_for(state="attached")


async def fill_form(editor: EditorWindow, block: Block) -> None:
    if block.typed:
        await editor.open_form()
    form = editor.panel.locator("form")
    for label, value in block.fields.items():
        await enter(form.locator(":scope > .field").get_by_label(label, exact=True), value)
    if block.item:
        await press(editor, form.get_by_role("button", name="Add an item"))
        row = form.locator(".list-rows > li").last
        for label, value in block.item.items():
            await enter(row.get_by_label(label, exact=True), value)


async def enter(control: Locator, value: str) -> None:
    if await control.evaluate("element => element.localName") == "select":
        await control.select_option(label=value)
    else:
        await control.fill(value)


async def fill_column(editor: EditorWindow, block: Block) -> None:
    """A click into an empty column of the selected block asks what to add there."""
    if editor.window.is_phone:
        await editor.button("Close").click()
    await editor.site.locator("[data-zone-empty]").nth(2).wait_for(state="visible")
    await press(editor, editor.site.locator("[data-zone-empty]").first)
    await pick(editor, "heading")
    await type_in_page(editor, block.inside)


async def publish_and_find(editor: EditorWindow, customer: Customer, blocks: list[Block]) -> list[str]:
    """The kinds of blocks that a visitor does not find."""
    await eventually(lambda: has_stopped_saving(editor))
    await press(editor, editor.button("Publish"))
    await press(editor, editor.button("Publish now"))
    await editor.window.sees("Your website is published.")
    await editor.window.open(f"http://{customer.host}/")
    await editor.window.expect_a_page_that_fits()
    return [block.kind for block in blocks if await editor.page.locator(block.found).count() == 0]


async def has_stopped_saving(editor: EditorWindow) -> bool:
    return await editor.page.locator("[data-indicator]").get_attribute("data-state") == "saved"


async def make_editor(service: Service, client: httpx.AsyncClient, window: Window, host: str) -> EditorWindow:
    package_ref = service.demo["brands"][0]["packages"]["pro"]
    customer = await make_customer(client, 1, host, package_ref=package_ref)
    await customer.update_profile(business="The Bakery")
    await customer.add_page("home", "Home")
    return await EditorWindow.open(window, customer)


def test_every_type_is_tried() -> None:
    assert {f"widget.{block.kind}" for block in BLOCKS} == {each.type for each in TYPES}


async def test_every_block_is_published_as_it_was_filled_in(
    service: Service, client: httpx.AsyncClient, window: OpenWindow
) -> None:
    editor = await make_editor(service, client, await window(), "every-block.example")
    for block in BLOCKS:
        await add(editor, block)
    assert await publish_and_find(editor, editor.customer, BLOCKS) == []


async def test_blocks_are_filled_in_on_a_phone(service: Service, client: httpx.AsyncClient, window: OpenWindow) -> None:
    editor = await make_editor(service, client, await window("phone"), "every-block-phone.example")
    blocks = [block for block in BLOCKS if block.kind in ON_A_PHONE]
    for block in blocks:
        await add(editor, block)
    assert await publish_and_find(editor, editor.customer, blocks) == []
