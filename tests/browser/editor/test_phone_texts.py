"""On a phone a tap on a text begins typing; no Escape key is needed to move or delete the text."""

import httpx
import pytest
from playwright.async_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow, widget_values
from tests.support.customers import Customer, make_customer
from tests.support.eventually import eventually

pytestmark = pytest.mark.system
HEADING, WORDS = "Our bread", "Baked at five in the morning."


async def open_texts(client: httpx.AsyncClient, window: OpenWindow, name: str) -> tuple[EditorWindow, Customer]:
    customer = await make_customer(client, 1, f"{name}.example")
    home = await customer.add_page("home", "Home")
    await customer.add_widget(home, "content", "words", content=f"<p>{WORDS}</p>")
    await customer.add_widget(home, "heading", "title", text=HEADING)  # the newest comes first
    return await EditorWindow.open(await window("phone"), customer), customer


def buttons_of_block(editor: EditorWindow) -> Locator:
    return editor.site.get_by_role("toolbar", name="Block")


@pytest.mark.parametrize("words", [HEADING, WORDS])
async def test_a_tapped_text_can_be_deleted(client: httpx.AsyncClient, window: OpenWindow, words: str) -> None:
    editor, customer = await open_texts(client, window, f"delete-{len(words)}")
    await editor.site.get_by_text(words, exact=True).tap()
    await editor.site.locator("[contenteditable]").wait_for(state="visible")
    await buttons_of_block(editor).get_by_role("button", name="Delete").tap()

    async def is_deleted() -> bool:
        return len(await widget_values(client, customer)) == 1

    await eventually(is_deleted)
    await editor.site.get_by_text(words, exact=True).wait_for(state="detached")


@pytest.mark.parametrize("words", [HEADING, WORDS])
async def test_the_buttons_come_back_after_typing(client: httpx.AsyncClient, window: OpenWindow, words: str) -> None:
    """They make way for what is typed. A tap beside the text ends typing, another one selects nothing."""
    editor, _ = await open_texts(client, window, f"return-{len(words)}")
    await editor.write(words, "Fresh rolls")
    await buttons_of_block(editor).wait_for(state="hidden")
    await tap_beside(editor, "Fresh rolls")
    await buttons_of_block(editor).wait_for(state="visible")
    await editor.site.locator("[contenteditable]").wait_for(state="detached")
    await editor.shows("Fresh rolls")
    await tap_beside(editor, "Fresh rolls")
    await buttons_of_block(editor).wait_for(state="hidden")


async def tap_beside(editor: EditorWindow, words: str) -> None:
    box = await editor.site.get_by_text(words, exact=True).bounding_box()
    assert box is not None
    await editor.page.touchscreen.tap(3, box["y"] + box["height"] / 2)
