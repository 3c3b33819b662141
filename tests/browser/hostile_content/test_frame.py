"""Nothing of an account holder's content runs in the editor's frame, or leads away from it."""

import pytest
from playwright.async_api import Route

from tests.browser.editor_frame.embedding import EditorFrame
from tests.browser.hostile_content.detector import CLICKS, EVENTS, TOUCH, Detector, touch
from tests.browser.hostile_content.planting import Planted
from tests.browser.window import Window
from tests.support.own_pages import log_in

pytestmark = pytest.mark.system
LEAST = 500
ENDED = ("<img", "<svg", "<details", "<input", "<a ", "<div")
MOST_THAT_NEED_MORE = 0.5
"""Share of the vectors that run only in other browsers, or after something that the test does not do."""
PASTE = """(html) => {
  const data = new DataTransfer();
  data.setData("text/html", html);
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  document.querySelector(".ProseMirror").dispatchEvent(event);
}"""
KNOWN = {
    "hello", "ready", "opened", "selected", "typing", "edited", "navigate", "static", "action", "pickImage", "files",
}  # fmt: skip


async def test_vectors_run_where_nothing_contains_them(holder: Window, planted: Planted) -> None:
    """Otherwise the other tests would prove nothing."""
    vectors = planted.vectors
    assert len(vectors.shapes) >= LEAST
    tried = [each for each in vectors.html[::9] if each.startswith(ENDED)]

    async def respond(route: Route) -> None:
        await route.fulfill(content_type="text/html", body="<!doctype html><body>" + "".join(tried))

    await holder.page.route("http://bare.example/", respond)
    detector = await Detector.watching(holder.page.context)
    await holder.page.goto("http://bare.example/")
    await touch(holder.page, clicks=True)
    ran = {each for each in detector.found if each.startswith("vector")}
    assert len(ran) >= MOST_THAT_NEED_MORE * len(tried), (len(ran), len(tried))
    assert any("a dialog" in each for each in detector.found)


async def test_nothing_runs_in_the_frame(holder: Window, planted: Planted) -> None:
    detector = await Detector.watching(holder.page.context)
    await log_in(holder.page, planted.customer)
    frame = EditorFrame(holder, planted.customer.site["ref"])
    await frame.open(planted.home)
    await expect_nothing_ran(frame, detector)
    await frame.open(planted.texts)
    await expect_nothing_ran(frame, detector)
    await paste_everything(frame, planted)
    await expect_nothing_ran(frame, detector)


async def paste_everything(frame: EditorFrame, planted: Planted) -> None:
    html = await frame.frame.evaluate("'<!doctype html>' + document.documentElement.outerHTML")
    await frame.send(type="render", html=html, keep=None)
    await frame.send(type="select", widgetRef=planted.rich_text)
    await frame.expect("selected", widgetRef=planted.rich_text)
    await frame.send(type="focus", widgetRef=planted.rich_text, name="content", all=False)
    await frame.frame.locator(".ProseMirror").wait_for()
    ended, whole = planted.vectors.html[:-65], planted.vectors.html[-65:]
    for html in ["".join(ended[at : at + 20]) for at in range(0, len(ended), 20)] + whole:
        await frame.frame.evaluate(PASTE, html)
    await frame.frame.locator(".ProseMirror").evaluate(TOUCH, EVENTS + CLICKS)


async def expect_nothing_ran(frame: EditorFrame, detector: Detector) -> None:
    address = frame.frame.url
    await touch(frame.frame, clicks=True)
    detector.expect_nothing(frame.page)
    assert set(await frame.page.evaluate("received.map(each => each.type)")) <= KNOWN
    assert (frame.frame.url, frame.page.url.rpartition("/")[2]) == (address, "account")
