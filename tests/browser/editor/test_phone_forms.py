"""On a phone the form of a block is a sheet over the site, and the block stays visible above it."""

import json

import httpx
import pytest
from playwright.async_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually
from tests.support.service import Service

pytestmark = pytest.mark.system
LINES = "<p>" + "</p><p>".join(["A line of text."] * 12) + "</p>"
MARGIN = 8
LEAST = 60
"""What has to be left of the site, in pixels."""
STUCK = "header => getComputedStyle(header).position === 'sticky' ? header.offsetHeight : 0"
ROOM = "() => getComputedStyle(document.documentElement).paddingBottom"


async def make_long_page(client: httpx.AsyncClient, service: Service, template: str) -> Customer:
    """Three lists of questions below a long text."""
    templates = {each["directory"]: each["ref"] for each in (await done(client.get("/v2/templates")))["templates"]}
    pro = service.demo["brands"][0]["packages"]["pro"]
    domain = f"sheet-{template}.example"
    customer = await make_customer(client, 1, domain, package_ref=pro, templateRef=templates[template])
    page = await customer.add_page("home", "Home")
    for name, number in (("Last", 1), ("Second", 8), ("First", 1)):  # the newest comes first
        entries = [{"question": f"{name} {each}?", "answer": "<p>Yes.</p>"} for each in range(number)]
        await customer.add_widget(page, "questions", name, questions=json.dumps(entries))
    await customer.add_widget(page, "content", "before", content=LINES)
    return customer


async def expect_uncovered(editor: EditorWindow, block: Locator) -> None:
    """As much of the block is visible as fits between a header that stays and the sheet."""

    async def is_uncovered() -> bool:
        box, panel = await block.bounding_box(), await editor.panel.bounding_box()
        stage = await editor.page.locator("[data-stage]").bounding_box()
        if box is None or panel is None or stage is None:
            return False
        header: float = await editor.site.locator(".site-header").evaluate(STUCK)
        top = stage["y"] + header
        bottom = panel["y"]
        shown = min(box["y"] + box["height"], bottom) - max(box["y"], top)
        return bottom - top > LEAST and shown >= min(box["height"], bottom - top - 2 * MARGIN) - 1

    await eventually(is_uncovered)


@pytest.mark.parametrize("template", ["consult", "coffee-house"])
async def test_the_form_of_a_block_does_not_cover_it(
    client: httpx.AsyncClient, service: Service, window: OpenWindow, template: str
) -> None:
    """Also where the sheet grows, the block is the last one of the page, or it is higher than what is left."""
    customer = await make_long_page(client, service, template)
    editor = await EditorWindow.open(await window("phone"), customer)
    blocks = editor.site.locator(".questions")
    for number in range(3):
        await blocks.nth(number).click(position={"x": 10, "y": 10})
        await editor.open_form()
        await expect_uncovered(editor, blocks.nth(number))
        await editor.panel.locator(".list-rows summary").first.click()
        await editor.panel.get_by_label("Answer").first.wait_for()
        await expect_uncovered(editor, blocks.nth(number))
        await editor.panel.get_by_role("button", name="Close").click()
        await editor.panel.wait_for(state="hidden")

    async def is_as_before() -> bool:
        return str(await editor.site.locator("html").evaluate(ROOM)) == "0px"

    await eventually(is_as_before)
