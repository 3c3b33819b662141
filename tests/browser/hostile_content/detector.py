"""Notices everything by which hostile content shows that it ran, or that it loaded something from elsewhere."""

import re
from typing import Any, Self
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ConsoleMessage, Dialog, Frame, Page, Request

from tests.support.chromium import SERVICE_HOST

CANARY = "/canary/"
RAN = re.compile(r"ran[0-9]+|.*hostile is not defined")
"""What a vector writes to the console, or causes there where it runs in a document without the marker."""
EVENTS = [
    "mouseover", "pointerenter", "focus", "error", "load", "animationstart", "toggle", "begin", "beforetoggle",
    "cancel",
]  # fmt: skip
CLICKS = ["click", "auxclick", "submit"]
TOUCH = """(root, types) => {
  for (const element of root.querySelectorAll("*")) {
    for (const type of types) {
      element.dispatchEvent(new MouseEvent(type, { bubbles: type === "click", cancelable: true }));
    }
    if (element.matches("[onfocus], [autofocus], [tabindex]")) element.focus?.({ preventScroll: true });
  }
}"""
TOUCH_PAGE = f"types => ({TOUCH})(document.body, types)"
LINKS = """() => ["href", "action", "src", "formaction", "data", "xlink:href"]
  .flatMap((name) => [...document.querySelectorAll(`[${CSS.escape(name)}]`)].map((each) => each.getAttribute(name)))
  .filter((value) => value !== "")
  .map((value) => new URL(value, "http://x.invalid/").protocol)"""
HANDLERS = """() => [...document.querySelectorAll("*")]
  .filter((each) => each.matches("script:not([src]), base, meta[http-equiv=refresh], object, embed")
    || each.getAttributeNames().some((name) => name.startsWith("on")))
  .map((each) => each.outerHTML)"""
SAFE = {"http:", "https:", "mailto:", "tel:"}


class Detector:
    """Watches all pages of one browser context."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.loaded: list[Request] = []

    @classmethod
    async def watching(cls, context: BrowserContext) -> Self:
        detector = cls()
        await context.expose_binding("hostile", detector._note_run)
        context.on("console", detector._note_message)
        context.on("dialog", detector._dismiss)
        context.on("request", detector._note_request)
        context.on("weberror", lambda error: detector._note_text(str(error.error)))
        return detector

    def _note_run(self, source: dict[str, Any], number: object) -> None:
        """A vector called the function that exists in every frame, also in sandboxed ones."""
        frame: Frame = source["frame"]
        self.found.append(f"vector {number} ran at {frame.url}")

    def _note_request(self, request: Request) -> None:
        self.loaded.append(request)

    def _note_message(self, message: ConsoleMessage) -> None:
        self._note_text(message.text)

    def _note_text(self, text: str) -> None:
        if RAN.fullmatch(text):
            self.found.append(text)

    async def _dismiss(self, dialog: Dialog) -> None:
        self.found.append(f"a dialog: {dialog.message}")
        await dialog.dismiss()

    @property
    def canaries(self) -> list[str]:
        """Requests that only a script makes. An address that contains the script's text is none."""
        return [each.url for each in self.loaded if urlsplit(each.url).path.startswith(CANARY)]

    def expect_nothing(self, page: Page) -> None:
        """Nothing ran. From other hosts the page itself loads nothing, and pages of sites load only pictures."""
        others = [each for each in self.loaded if urlsplit(each.url).netloc not in (SERVICE_HOST, "")]
        of_page = [each.url for each in others if _frame_of(each) in (None, page.main_frame)]
        no_pictures = [each.url for each in others if each.resource_type != "image"]
        seen = {"ran": self.found, "canaries": self.canaries, "of the page": of_page, "no pictures": no_pictures}
        assert not any(seen.values()), f"{page.url}: { ({kind: all_of[:5] for kind, all_of in seen.items()}) }"
        assert len(page.context.pages) == 1, [each.url for each in page.context.pages]


def _frame_of(request: Request) -> Frame | None:
    """None: of a page that has not begun yet."""
    return None if request.is_navigation_request() and request.redirected_from is None else request.frame


async def touch(where: Page | Frame, *, clicks: bool = False) -> None:
    """Send the events that people cause to every element."""
    await where.evaluate(TOUCH_PAGE, EVENTS + (CLICKS if clicks else []))


async def expect_safe_page(page: Page) -> None:
    """A page of the service itself has no element that could run anything."""
    assert set(await page.evaluate(LINKS)) <= SAFE, page.url
    assert await page.evaluate(HANDLERS) == [], page.url
