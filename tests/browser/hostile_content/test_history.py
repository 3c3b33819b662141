"""Hostile content in the editor's history: small pictures of versions, the view of one, and its pages."""

import re

import pytest
from playwright.async_api import Frame, Page

from tests.browser.editor.editing import EditorWindow
from tests.browser.hostile_content.detector import EVENTS, TOUCH, Detector, expect_safe_page, touch
from tests.browser.hostile_content.planting import Planted
from tests.browser.window import Window
from tests.support.own_pages import SERVICE

pytestmark = pytest.mark.system
PATHS = ("", "texts", "p1")


def frames_of(page: Page, kind: str) -> list[Frame]:
    return [each for each in page.frames if re.search(f"/versions/[0-9]+/{kind}", each.url)]


async def test_nothing_runs_in_the_history(holder: Window, planted: Planted) -> None:
    detector = await Detector.watching(holder.page.context)
    editor = await EditorWindow.open(holder, planted.customer, planted.texts)
    await editor.tool("History")
    thumbnail = editor.panel.frame_locator(".thumbnail iframe").first
    await thumbnail.locator("main").first.wait_for(state="attached")
    [shown] = frames_of(editor.page, "thumbnail")
    await touch(shown)
    await editor.panel.evaluate(TOUCH, EVENTS)
    await expect_safe_page(editor.page)
    detector.expect_nothing(editor.page)


async def test_nothing_runs_in_the_view_of_a_version(holder: Window, planted: Planted) -> None:
    detector = await Detector.watching(holder.page.context)
    editor = await EditorWindow.open(holder, planted.customer, planted.texts)
    await editor.tool("History")
    await editor.panel.get_by_role("button", name="View the version").first.click()
    await editor.dialog.frame_locator("iframe").locator("main").first.wait_for(state="attached")
    [frame] = frames_of(editor.page, "frame")
    address = frame.url.partition("?")[0]
    for path in PATHS:
        await frame.goto(f"{address}?path={path}")
        await frame.locator("main").first.wait_for(state="attached")
        await touch(frame)
        assert frame.url.startswith(f"{SERVICE}/account/sites/"), "the content led the frame away"
        detector.expect_nothing(editor.page)
    await expect_safe_page(editor.page)
