"""Pictures below the screen do not compete with the first one, which the visitor waits for."""

import asyncio
import json

import httpx
import pytest
from playwright.async_api import Page, Route, ViewportSize

from sitewright.sites.media.pictures.service import Format
from tests.browser.conftest import OpenWindow
from tests.support.customers import Customer, done, make_customer
from tests.support.packages import PRO
from tests.support.pictures import picture
from tests.support.timeouts import HANG_SECONDS

pytestmark = pytest.mark.system
HOST = "pictures.example"
SMALL, LARGE = ViewportSize(width=400, height=100), ViewportSize(width=400, height=2900)
"""The picture below is far from the small screen, and near to the large one. Browsers load lazy pictures near it."""
SPACES = 3
BELOW = ".gallery img"
IS_CLIPPED = "(selector) => document.querySelector(selector).style.clipPath !== ''"
IS_LOADED = "(selector) => document.querySelector(selector).naturalWidth > 0"
ADD_ANOTHER = """(selector) => {
  const below = document.querySelector(selector);
  const another = new Image();
  Object.assign(another, { id: "another", loading: "lazy", src: below.src + "?another" });
  below.closest("a, figure, li").before(another);
}"""
"""A picture that nothing holds back, at the same place: once it is there, the browser has loaded what is near."""


@pytest.fixture(scope="session")
async def exhibition(client: httpx.AsyncClient) -> Customer:
    """A home page with a picture, and another one far below it."""
    customer = await make_customer(client, 1, HOST, package_ref=PRO)
    home = await customer.add_page("home", "Home")
    first, below = [await uploaded(customer, width) for width in (400, 420)]
    images = json.dumps([{"src": f"media:{below}", "alt": "Below"}])
    await customer.add_widget(home, "gallery", "below", images=images)  # the next ones go before it
    for number in range(SPACES):
        await customer.add_widget(home, "space", f"space{number}", height="1000")
    await customer.add_widget(home, "image", "first", src=f"media:{first}")
    await customer.publish()
    return customer


async def uploaded(customer: Customer, width: int) -> int:
    files = {"file": ("picture.png", picture(Format.PNG, width, 300), "image/png")}
    ref: int = (await done(customer.client.post(f"{customer.path}/media", files=files)))["media"]["ref"]
    return ref


class SlowPicture:
    """Holds back the first picture that the page asks for, until `may_arrive` is set."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_arrive = asyncio.Event()

    async def respond(self, route: Route) -> None:
        self.asked.append(route.request.url)
        if len(self.asked) == 1:
            await asyncio.wait_for(self.may_arrive.wait(), HANG_SECONDS)
        await route.continue_()


@pytest.mark.parametrize("is_scrolled", [False, True], ids=["it has arrived", "the visitor scrolls"])
async def test_pictures_below_wait_for_the_first(exhibition: Customer, window: OpenWindow, is_scrolled: bool) -> None:
    page, slow = (await window()).page, SlowPicture()
    await page.set_viewport_size(SMALL)
    await page.route("**/_media/**", slow.respond)
    try:
        await page.goto(f"http://{HOST}/", wait_until="domcontentloaded")
        await page.wait_for_function(IS_CLIPPED, arg=BELOW)
        await bring_near(page)
        assert len(set(slow.asked)) == 2, "the first one and the other picture below, which nothing holds back"
        if is_scrolled:
            await page.evaluate("scrollTo(0, 10)")
        else:
            slow.may_arrive.set()
        await page.wait_for_function(IS_LOADED, arg=BELOW)
    finally:
        slow.may_arrive.set()


async def bring_near(page: Page) -> None:
    await page.evaluate(ADD_ANOTHER, BELOW)
    await page.set_viewport_size(LARGE)
    await page.wait_for_function(IS_LOADED, arg="#another")
