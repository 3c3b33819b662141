"""The editor's page shows hostile content in its panels, forms and dialogs, and nothing of it runs."""

import pytest
from playwright.async_api import FilePayload

from sitewright.sites.media.pictures.service import Format
from tests.browser.editor.editing import EditorWindow
from tests.browser.hostile_content.detector import EVENTS, TOUCH, Detector, expect_safe_page
from tests.browser.hostile_content.planting import Planted
from tests.browser.window import Window
from tests.support.pictures import picture

pytestmark = pytest.mark.system
SELECT_EACH = """() => {
  const first = new Map();
  for (const each of document.querySelectorAll("[data-widget]")) first.set(each.dataset.type, each.dataset.widget);
  return [...first];
}"""
CLICK = """ref => {
  const block = document.querySelector(`[data-widget='${ref}']`);
  block.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}"""
OPEN_ROWS = "panel => panel.querySelectorAll('details').forEach((row) => { row.open = true; })"
CLOSE_DIALOGS = "() => document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close())"
"""A click on an empty picture opens the library."""
FILES = 6


async def test_nothing_runs_in_the_editor(holder: Window, planted: Planted) -> None:
    detector = await Detector.watching(holder.page.context)
    editor = await EditorWindow.open(holder, planted.customer, planted.texts)
    await editor.site.locator(f"[data-widget='{planted.rich_text}']").wait_for(state="attached")
    assert await show_every_form(editor) >= 20
    detector.expect_nothing(editor.page)
    for tool in ("Business", "Pages", "Design"):
        await editor.tool(tool)
        await editor.panel.evaluate(TOUCH, EVENTS)
        await expect_safe_page(editor.page)
    await show_page_settings(editor)
    await show_library(editor, planted)
    await expect_safe_page(editor.page)
    detector.expect_nothing(editor.page)


async def show_every_form(editor: EditorWindow) -> int:
    """Click a block of each type; its form shows its values."""
    [frame] = [each for each in editor.page.frames if "/edit/frame" in each.url]
    blocks = await frame.evaluate(SELECT_EACH)
    for _, ref in blocks:
        await frame.evaluate(CLICK, ref)
        await editor.panel.wait_for(state="visible")
        await editor.panel.evaluate(OPEN_ROWS)
        await editor.panel.evaluate(TOUCH, EVENTS)
        await editor.page.evaluate(CLOSE_DIALOGS)
    return len(blocks)


async def show_page_settings(editor: EditorWindow) -> None:
    await editor.tool("Pages")
    await editor.panel.locator("[aria-label^='Actions for']").first.click()
    await editor.panel.get_by_role("button", name="Title, address, search").first.click()
    await editor.dialog.wait_for()
    await editor.dialog.evaluate(TOUCH, EVENTS)
    await expect_safe_page(editor.page)
    await editor.page.keyboard.press("Escape")


async def show_library(editor: EditorWindow, planted: Planted) -> None:
    """Upload files with hostile names, one of which is no picture, to the library, which shows those of the others."""
    await editor.tool("Design")
    await editor.panel.get_by_role("button", name="Choose picture").first.click()
    await editor.dialog.locator(".picture-choice").first.wait_for()
    content = picture(Format.PNG, 16, 12)
    names = [each.replace("/", "\u2215")[:120] for each in planted.vectors.html[::80]][:FILES]
    files = [FilePayload(name=f"{name}.png", mimeType="image/png", buffer=content) for name in names]
    files.append(FilePayload(name=f"{names[0]}.svg", mimeType="image/svg+xml", buffer=planted.vectors.svgs[0][:20]))
    await editor.page.locator("input[type=file]").set_input_files(files)
    await editor.dialog.locator(".upload-error").wait_for()
    await editor.dialog.evaluate(TOUCH, EVENTS)
