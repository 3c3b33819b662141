"""The reference at `/docs`, as integrators use it on a desktop screen and on a phone."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.window import Window
from tests.support.chromium import SECURE_HOST, SERVICE_HOST
from tests.support.timeouts import HANG_SECONDS

pytestmark = pytest.mark.system
DOCS = f"http://{SERVICE_HOST}/docs"


async def test_finds_the_clients_and_how_they_were_tested(visitor: Window) -> None:
    await visitor.page.goto(DOCS)
    await visitor.link("Clients and how they were tested").click()
    heading = visitor.page.get_by_role("heading", name="Clients and how they were tested")
    await heading.wait_for(state="visible")
    rows = visitor.page.get_by_role("row", name="RestSharp .NET")
    assert "consistentTypes" in await rows.inner_text()
    await visitor.expect_a_page_that_fits()


async def test_an_address_of_the_former_page_leads_to_the_operation(visitor: Window) -> None:
    await visitor.page.goto(f"{DOCS}#publishSite")
    await visitor.page.wait_for_url("**/docs/api/publishing/publishSite")


async def test_the_contents_lead_to_every_page(visitor: Window) -> None:
    """On a phone they are behind a button; on a desktop screen they are always there."""
    await visitor.page.goto(f"{DOCS}/errors")
    button = visitor.page.get_by_role("button", name="Contents")
    if await button.is_visible():
        assert not await visitor.page.get_by_role("navigation", name="Reference").is_visible()
        await button.click()
    await visitor.page.get_by_role("navigation", name="Reference").get_by_role("link", name="Mailboxes").click()
    await visitor.page.get_by_role("heading", name="Mailboxes", level=1).wait_for(state="visible")


async def test_searches_while_typing(visitor: Window) -> None:
    await visitor.page.goto(f"{DOCS}/search")
    await visitor.page.keyboard.press("/")
    await visitor.page.keyboard.type("publish si")
    found = visitor.page.locator("[data-results]")
    await expect(found).to_contain_text("Publish a site", timeout=HANG_SECONDS * 1000)
    await visitor.page.wait_for_url("**/docs/search?q=publish+si")


async def test_shows_the_language_that_was_chosen_last(visitor: Window) -> None:
    await visitor.page.goto(f"{DOCS}/api/users/createUser")
    await visitor.page.get_by_role("radio", name="Node").check()
    await visitor.page.goto(f"{DOCS}/api/sites/createSite")
    await visitor.page.get_by_role("region", name="Example, Node").wait_for(state="visible")
    assert not await visitor.page.get_by_role("region", name="Example, curl").is_visible()


@pytest.fixture
async def local(chromium: Browser) -> AsyncIterator[Page]:
    """Browsers sign only on https and on localhost."""
    context = await chromium.new_context(base_url=f"http://{SECURE_HOST}")
    yield await context.new_page()
    await context.close()


async def send(page: Page, status: str) -> None:
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator("[data-result]")).to_contain_text(status, timeout=HANG_SECONDS * 1000)


async def test_tries_operations_on_the_demo(local: Page) -> None:
    """What one response names is offered in the form of the next operation."""
    refused: list[str] = []
    local.on("console", lambda message: refused.append(message.text) if "Content Security" in message.text else None)
    await local.goto("/docs/api/resellers/createReseller")
    await local.get_by_label("Body", exact=True).fill(
        '{"name": "try-it", "displayName": "Tried", "defaultCurrencyRef": 1, "defaultLanguageRef": 1}'
    )
    await send(local, "201")
    await expect(local.get_by_role("region", name="Body of the response")).to_contain_text("Tried")
    await local.locator("[data-result] summary").click()
    await expect(local.get_by_role("region", name="Headers of the response")).to_contain_text("x-request-id")
    await local.get_by_label("Body", exact=True).fill("{")
    await send(local, "400")
    await local.goto("/docs/api/resellers/deleteReseller")
    await expect(local.get_by_text("This deletes data of the demo.")).to_be_visible()
    await send(local, "204")
    await local.goto("/docs/api/users/listUsers")
    await local.get_by_label("username", exact=True).fill("caf\u00e9 &(*)!")
    await send(local, "200")
    assert refused == []
