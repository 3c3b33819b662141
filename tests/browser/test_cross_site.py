"""An operator who is logged in to the API by browser, and opens another site's page (CSRF).

Chromium reads one challenge of each `WWW-Authenticate` line, and the interface sends both in one; other browsers read
both, and some proxies write two lines of it. So does a relay before the interface here. Pages for people do not
challenge, so a script is what makes the browser remember the credentials.
"""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from playwright.async_api import Browser, Route

from sitewright.kit.http.responses import CHALLENGES
from tests.support.chromium import SERVICE_HOST, running_chromium
from tests.support.customers import make_customer
from tests.support.service import Service
from tests.support.timeouts import HANG_SECONDS

pytestmark = pytest.mark.system

ONE_LINE = CHALLENGES.encode()
TWO_LINES = ONE_LINE.replace(b", Basic", b"\r\nwww-authenticate: Basic")
SEND_BY_SCRIPT = """([url, credentials]) => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("GET", url, true, ...credentials);
    request.onloadend = () => resolve(request.status);
    request.send();
})"""


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(65536):
            writer.write(chunk.replace(ONE_LINE, TWO_LINES))
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


@pytest.fixture
async def browser(service: Service) -> AsyncIterator[Browser]:
    """Sees the interface with a challenge that Chromium understands."""

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", service.settings["api_port"])  # type: ignore[arg-type]
        await asyncio.gather(_copy(reader, back), _copy(there, writer))

    server = await asyncio.start_server(join, "127.0.0.1", 0)
    async with running_chromium(service, api_port=server.sockets[0].getsockname()[1]) as browser:
        yield browser
    server.close()


async def test_a_cross_site_form_cannot_use_cached_credentials(
    service: Service, client: httpx.AsyncClient, browser: Browser
) -> None:
    customer = await make_customer(client, 1, "victim.example")
    basic = service.demo["brands"][0]["basic"]
    path = f"{SERVICE_HOST}/users/{customer.user_ref}"

    async def show_foreign_page(route: Route) -> None:
        form = f"<!doctype html><form method=post action='http://{path}/anonymise'><button>Win a prize</button></form>"
        await route.fulfill(content_type="text/html", body=form)

    context = await browser.new_context(bypass_csp=True)  # our own pages allow no such script
    await context.route("http://elsewhere.example/**", show_foreign_page)
    context.set_default_timeout(HANG_SECONDS * 1000)
    page = await context.new_page()
    await page.goto(f"http://{SERVICE_HOST}/")
    for credentials in ([basic["username"], basic["password"]], []):
        status = await page.evaluate(SEND_BY_SCRIPT, [f"http://{path}", credentials])
        assert status == 200, "the browser must remember the credentials, or this test shows nothing"
    await page.goto("http://elsewhere.example/")
    async with page.expect_response(f"http://{path}/anonymise") as received:
        await page.get_by_role("button").click()
    status = (await received.value).status
    await context.close()
    found = (await client.get(f"/users/{customer.user_ref}")).json()["accountHolder"]
    assert (status, found["firstName"] == "anonymised") == (403, False)
