"""Support logs in as an account holder: the banner is on every page of the account, fits, and ends the session."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Browser, Page

from tests.browser.test_every_page import SCHEMES, findings_of, small_targets
from tests.support.customers import Customer, done
from tests.support.own_pages import SERVICE, make_holder
from tests.support.service import Service

pytestmark = pytest.mark.system
CONSOLE = f"{SERVICE}/console"
BANNER = ".banner"
LOG_IN_AS = """([action, token]) => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = action;
    const field = Object.assign(document.createElement("input"), { name: "token", value: token });
    form.append(field);
    document.body.append(form);
    form.submit();
}"""


@pytest.fixture(scope="module")
async def customer(client: httpx.AsyncClient) -> Customer:
    return await make_holder(client, "log-in-as.example")


@pytest.fixture(params=[390, 1440])
async def page(
    request: pytest.FixtureRequest, chromium: Browser, service: Service, customer: Customer
) -> AsyncIterator[Page]:
    """A window of support, logged in as the customer."""
    context = await chromium.new_context(
        viewport={"width": request.param, "height": 844}, reduced_motion="reduce", bypass_csp=True
    )
    page = await context.new_page()
    await log_in_as(page, service, customer)
    yield page
    await context.close()


async def log_in_as(page: Page, service: Service, customer: Customer) -> None:
    staff = service.demo["staff"]["support"]
    await page.goto(f"{CONSOLE}/log-in")
    await page.get_by_label("User name").fill(staff["username"])
    await page.get_by_label("Password").fill(staff["password"])
    await page.get_by_role("button", name="Log in").click()
    await page.get_by_role("heading", name="Overview").wait_for()
    token = await page.locator("input[name=token]").first.get_attribute("value")
    await page.evaluate(LOG_IN_AS, [f"{CONSOLE}/customers/{customer.user_ref}/log-in-as", token])
    await page.wait_for_url(f"{SERVICE}/account")


def addresses(customer: Customer) -> dict[str, str]:
    ref = customer.site["ref"]
    return {
        "account": "/account",
        "profile": "/account/profile",
        "messages": "/account/messages",
        "package": "/account/package",
        "domains": "/account/domains",
        "new-site": "/account/sites/new",
        "site": f"/account/sites/{ref}",
        "visits": f"/account/sites/{ref}/visits",
        "picker": f"/template-picker/?siteRef={ref}",
        "picker-preview": f"/template-picker/?siteRef={ref}&preview=1",
        "guide": "/help/editor",
        "not-found": "/account/sites/999999",
        "refused": "/account/profile/deletion",
        "editor": f"/account/sites/{ref}/edit",
    }


async def show(page: Page, path: str) -> None:
    await page.goto(SERVICE + path)
    if path.endswith("/edit"):
        await page.locator("[data-indicator][data-state=saved]").wait_for()


async def test_the_banner_is_on_every_page_and_breaks_none(page: Page, customer: Customer) -> None:
    found = []
    for name, path in addresses(customer).items():
        await show(page, path)
        banner = page.locator(BANNER)
        assert "You are logged in as Ann Example. You work for" in await banner.inner_text(), name
        assert "as Demo support. Ends at" in await banner.inner_text(), name
        box = await banner.bounding_box()
        assert box is not None, name
        assert (box["x"], box["y"]) == (0, 0), name
        assert box["height"] < 160, name
        width, screen = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= screen, name
        for scheme, rules in SCHEMES.items():
            await page.emulate_media(color_scheme=scheme)
            found += [f"{name} {scheme}: {each}" for each in await findings_of(page, rules)]
        found += [f"{name}: {each}" for each in await small_targets(page)]
    assert found == []


async def test_the_banner_stays_in_sight(page: Page, customer: Customer) -> None:
    await show(page, "/help/editor")
    await page.evaluate("scrollTo(0, 2000)")
    box = await page.locator(BANNER).bounding_box()
    assert box is not None
    assert box["y"] == 0
    await show(page, addresses(customer)["editor"])
    tools = await page.get_by_role("toolbar", name="Tools").bounding_box()
    assert tools is not None
    assert tools["y"] + tools["height"] <= 844
    assert tools["y"] >= (await page.locator("header").bounding_box() or {"y": 844})["y"]


async def test_previews_of_the_site_say_so_too(page: Page, client: httpx.AsyncClient, customer: Customer) -> None:
    link = (await done(client.post(f"{customer.path}/preview-links", json={"days": 1})))["previewLink"]["url"]
    await page.goto(SERVICE + urlsplit(link).path)
    await page.get_by_text("You are logged in as Ann Example.").wait_for()
    await page.get_by_role("link", name="To the account").click()
    await page.wait_for_url(f"{SERVICE}/account")
    await page.locator(BANNER).wait_for()


async def test_ends_at_the_click(page: Page, customer: Customer) -> None:
    await show(page, addresses(customer)["editor"])
    await page.locator(BANNER).get_by_role("button", name="End").click()
    await page.wait_for_url(f"{CONSOLE}/customers/{customer.user_ref}")
    await page.goto(f"{SERVICE}/account")
    await page.wait_for_url(f"{SERVICE}/login?r=/account")
    await page.goto(CONSOLE)
    await page.get_by_role("heading", name="Overview").wait_for()
