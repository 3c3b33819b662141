"""A browser window: what it shows, and its errors."""

from functools import partial
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import msgspec
import yaml
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Request

from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS

ABORTED = "net::ERR_ABORTED"
MOST_TABS = 60
PHONE_WIDTH = 500


class Box(msgspec.Struct, frozen=True):
    x: float
    y: float
    width: float
    height: float

    def is_beside(self, other: "Box") -> bool:
        return self.x + self.width <= other.x and self.y < other.y + other.height and other.y < self.y + self.height

    def is_above(self, other: "Box") -> bool:
        return self.y + self.height <= other.y


class Window:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        self.hosts: set[str] = set()
        """The hosts that the pages loaded resources from."""
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._note_request)
        page.on("requestfailed", self._note_failure)

    def _note_message(self, message: ConsoleMessage) -> None:
        about = message.location["url"]
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.text} ({about})")

    def _note_failure(self, request: Request) -> None:
        """Fonts, icons and frames that are still being loaded when a page is left are aborted: that is no fault."""
        is_page = request.is_navigation_request() and request.frame == self.page.main_frame
        if request.failure != ABORTED or is_page:
            self.faults.append(f"{request.url}: {request.failure}")

    def _note_request(self, request: Request) -> None:
        if not request.url.startswith("data:"):
            self.hosts.add(urlsplit(request.url).netloc)

    @property
    def is_phone(self) -> bool:
        size = self.page.viewport_size
        return size is not None and size["width"] < PHONE_WIDTH

    async def open(self, url: str, status: int = 200) -> None:
        """Wait until the response has this status; the site listener is notified of changes asynchronously."""
        await eventually(partial(self._has_status, url, status))
        self.faults = [fault for fault in self.faults if not fault.endswith(f"({url})")]  # a 404 is one to Chromium

    def expect_failure(self, path: str) -> None:
        """To Chromium a response with an error status is an error; here it is the expected one."""
        self.faults = [fault for fault in self.faults if not fault.endswith(f"{path})")]

    async def _has_status(self, url: str, status: int) -> bool:
        response = await self.page.goto(url)
        return response is not None and response.status == status

    def link(self, name: str, inside: str = "body") -> Locator:
        return self.page.locator(inside).get_by_role("link", name=name, exact=True)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    async def sees(self, text: str) -> None:
        await self.page.get_by_text(text, exact=True).first.wait_for(state="visible")

    async def style(self, selector: str, name: str) -> str:
        """The computed style."""
        value: str = await self.page.locator(selector).first.evaluate(
            "(element, name) => getComputedStyle(element).getPropertyValue(name)", name
        )
        return value

    async def boxes(self, selector: str) -> list[Box]:
        """The visible texts, in document order."""
        found = [await each.bounding_box() for each in await self.page.locator(selector).all()]
        return [msgspec.convert(box, Box) for box in found if box is not None]

    async def expect_design(self, directory: str) -> None:
        """The template's background color."""
        text = files("sitewright.catalogue.templates").joinpath("builtin", directory, "template.yaml").read_text()
        swatch = int(await self.page.locator("html").get_attribute("data-colours") or 0)
        [wanted] = [each["values"]["background"] for each in yaml.safe_load(text)["colours"] if each["ref"] == swatch]
        red, green, blue = bytes.fromhex(wanted.removeprefix("#"))
        assert await self.style("body", "background-color") == f"rgb({red}, {green}, {blue})"

    async def expect_a_page_that_fits(self) -> None:
        """The page does not scroll horizontally, and every image is loaded."""
        asked = "[document.documentElement.scrollWidth, innerWidth]"
        width, screen = await self.page.evaluate(asked)
        assert width <= screen, f"{self.page.url} is {width} wide on a screen of {screen}"
        for picture in await self.page.locator("img").all():
            await picture.scroll_into_view_if_needed()
            await picture.evaluate("picture => picture.decode()")

    async def tab_to(self, target: Locator) -> None:
        """Navigate by keyboard; the focused element must be visible as such."""
        for _ in range(MOST_TABS):
            await self.page.keyboard.press("Tab")
            if await target.evaluate("element => element === document.activeElement"):
                outline = await target.evaluate("element => getComputedStyle(element).outlineStyle")
                assert outline != "none", f"nobody sees that {target} has the focus"
                return
        raise AssertionError(f"{target} is not among the first {MOST_TABS} that the keyboard reaches")


async def open_window(browser: Browser, screen: dict[str, Any]) -> Window:
    context = await browser.new_context(**screen, locale="en-GB")
    context.set_default_timeout(HANG_SECONDS * 1000)
    return Window(await context.new_page())
