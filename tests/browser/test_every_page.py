"""Every page of the service, on small and large screens, light and dark: accessible, without horizontal scrolling, and
complete without any other host."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Browser, Page

from tests.support.customers import Customer
from tests.support.own_pages import (
    OwnPage,
    add_message,
    log_in,
    log_in_to_console,
    make_holder,
    offer_deletion,
    own_pages,
)
from tests.support.sample_pages import PREFIX, route_samples
from tests.support.service import Service

pytestmark = pytest.mark.system
AXE = Path("node_modules/axe-core/axe.min.js")
WIDTHS = (320, 768, 1440)
SCHEMES: dict[Literal["light", "dark"], str] = {"light": "", "dark": ", runOnly: ['color-contrast']"}
"""Color schemes, and the rules of axe in each: the others do not depend on colors."""
TOUCH_TARGET, PHONE = 44, 500
PARTS = 4
"""So that no test takes minutes."""


@pytest.fixture(scope="module")
async def customer(client: httpx.AsyncClient) -> Customer:
    return await make_holder(client, "every-page.example")


@pytest.fixture(scope="module")
async def message_ref(service: Service, customer: Customer) -> int:
    await offer_deletion(service)
    return await add_message(service, customer.site["ref"])


@pytest.fixture
async def page(
    request: pytest.FixtureRequest, chromium: Browser, customer: Customer, service: Service
) -> AsyncIterator[Page]:
    """The page of somebody who is logged in as an account holder and to the console.

    The parameter is width and color scheme.
    """
    width, scheme = request.param
    context = await chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True
    )
    await route_samples(context)
    page = await context.new_page()
    await log_in(page, customer)
    await log_in_to_console(page, service)
    yield page
    await context.close()


async def findings_of(page: Page, rules: str = "") -> list[str]:
    """What axe finds by all its rules, or by those that the option `rules` names."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    result: dict[str, Any] = await page.evaluate(
        f"axe.run(document, {{resultTypes: ['violations'], iframes: false{rules}}})"
    )
    return [f"{each['id']}: {node['html'][:200]}" for each in result["violations"] for node in each["nodes"]]


async def small_targets(page: Page) -> list[str]:
    """Buttons, fields and links that are smaller than a finger; links within a text are exempt (WCAG 2.5.5),
    and the label around a checkbox is part of it."""
    found: list[str] = await page.evaluate(
        """least => [...document.querySelectorAll('button, input:not([type=hidden]), textarea, select, a[href]')]
            .filter(each => each.checkVisibility() && !each.closest('p, td, dd, li p, .skip'))
            .filter(each => !each.classList.contains('skip') && getComputedStyle(each).display !== 'inline')
            .map(each => [each.outerHTML.slice(0, 120), (each.closest('label') ?? each).getBoundingClientRect()])
            .filter(([, box]) => box.width > 0 && box.height < least - 0.5)
            .map(([html, box]) => `${html}: ${box.height}`)""",
        TOUCH_TARGET,
    )
    return found


async def check(page: Page, own: OwnPage) -> list[str]:
    """The page is loaded once, then shown in each width and color scheme."""
    response = await page.goto(own.address)
    assert response is not None
    assert response.status == own.status, own.name
    found = []
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 900})
        for scheme, rules in SCHEMES.items():
            await page.emulate_media(color_scheme=scheme)
            found += [f"{scheme}, {width} px: {each}" for each in await findings_of(page, rules)]
        shown = await page.evaluate("document.documentElement.scrollWidth")
        if shown > width:
            found.append(f"{shown} wide on a screen of {width}")
        if width < PHONE and own.is_of_service:
            found += await small_targets(page)
    return [f"{own.name}: {each}" for each in found]


@pytest.mark.parametrize("page", [(320, "light")], indirect=True, ids=str)
@pytest.mark.parametrize("part", range(PARTS))
async def test_is_accessible_and_fits(page: Page, customer: Customer, message_ref: int, part: int) -> None:
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or ""))
    pages = own_pages(customer, message_ref)[part::PARTS]
    assert [each for own in pages for each in await check(page, own)] == []
    assert hosts <= {"", *(urlsplit(own.address).hostname or "" for own in pages)}


@pytest.mark.parametrize("page", [(320, "light"), (1440, "dark")], indirect=True, ids=str)
async def test_an_open_dialog_is_accessible(page: Page, customer: Customer) -> None:
    await page.goto(f"{PREFIX}components")
    await page.get_by_role("link", name="Open the dialog").click()
    await page.get_by_role("dialog", name="Delete the website?").wait_for(state="visible")
    assert await findings_of(page) == []
    await page.get_by_role("link", name="Cancel").last.click()
    await page.get_by_role("dialog").wait_for(state="hidden")


@pytest.mark.parametrize("page", [(320, "light")], indirect=True, ids=str)
async def test_the_checks_find_what_is_wrong(page: Page, customer: Customer) -> None:
    await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=/favicon.svg><button>x</button>')")
    assert any(each.startswith("image-alt") for each in await findings_of(page))
    assert any("<button>x" in each for each in await small_targets(page))
