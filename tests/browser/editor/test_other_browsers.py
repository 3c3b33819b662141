"""The editor in Firefox and in WebKit: typed text is saved and published, and nothing of a site runs in its frame."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.browser.editor.editing import eventually_stored
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.other_browsers import OTHER_BROWSERS
from tests.support.service import Service
from tests.support.webdriver import DrivenWindow

pytestmark = pytest.mark.system
FRAME = "[data-stage] iframe"
SAVED = "[data-indicator][data-state=saved]"
HOSTILE = """<b id="shown">Own HTML</b><script>document.documentElement.dataset.ran = "script"</script>
<img src="/nothing" alt="" onerror="document.documentElement.dataset.ran = 'handler'">"""
RAN = "return document.documentElement.dataset.ran ?? null"
PICTURE_FAILED = (
    "const picture = document.querySelector('img[onerror]'); return picture.complete && !picture.naturalWidth"
)


@pytest.fixture(params=OTHER_BROWSERS)
async def browser(request: pytest.FixtureRequest) -> AsyncIterator[DrivenWindow]:
    async with OTHER_BROWSERS[request.param]() as window:
        yield window


async def open_editor(service: Service, window: DrivenWindow, customer: Customer) -> None:
    body = {"siteRef": customer.site["ref"]}
    link = await done(customer.client.post(f"/users/{customer.user_ref}/auto-login", json=body))
    target = f"/account/sites/{customer.site['ref']}/edit"
    await window.open(f"{service.api_url}/login?hash={link['hash']}&r={target}")
    await window.find(SAVED)


async def test_text_is_typed_saved_and_published_and_nothing_of_the_site_runs(
    service: Service, client: httpx.AsyncClient, browser: DrivenWindow, request: pytest.FixtureRequest
) -> None:
    host = f"{request.node.callspec.params['browser']}.example"
    pro = service.demo["brands"][0]["packages"]["pro"]
    customer = await make_customer(client, 1, host, package_ref=pro)
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="First")
    await customer.add_widget(page, "html", "second", html=HOSTILE)
    await expect_to_run_elsewhere(browser)
    await open_editor(service, browser, customer)

    await browser.enter_frame(FRAME)
    await browser.find("[data-zone-end] button")  # the editor's own script runs
    await browser.find("#shown")
    await eventually(lambda: browser.script(PICTURE_FAILED))
    assert await browser.script(RAN) is None
    await browser.leave_frame()
    await browser.click_inside(FRAME, "[data-type=heading]")
    await browser.type(" and more")
    await eventually_stored(client, customer, text="First and more")
    await browser.find(SAVED)

    await browser.click("[data-command=publish]")
    await browser.click("dialog[open] .button.primary")
    await browser.sees("Your website is published.")
    assert "First and more" in await published_page(service, host)


async def expect_to_run_elsewhere(browser: DrivenWindow) -> None:
    """Otherwise the test would prove nothing."""
    await browser.open("about:blank")
    await browser.script("document.write(arguments[0]); document.close()", HOSTILE)
    await eventually(lambda: browser.script(RAN))


async def published_page(service: Service, host: str) -> str:
    """The edge server is notified of a publish asynchronously."""
    async with http_client(service.site_url, headers={"host": host}) as visitor:

        async def find() -> str | None:
            response = await visitor.get("/")
            return response.text if response.is_success else None

        page: str = await eventually(find)
        return page
