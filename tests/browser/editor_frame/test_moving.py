"""Blocks are moved by mouse, by touch and by keyboard, also into columns."""

import httpx
import pytest
from playwright.async_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.editor_frame.embedding import EditorFrame
from tests.browser.editor_frame.stage import Stage, make_stage

pytestmark = pytest.mark.system
MAIN = "page-zones__main"


async def with_columns(stage: Stage) -> int:
    """Columns above everything, with one heading in the second column."""
    columns = await stage.customer.add_widget(stage.page_ref, "columns", "cols", columns="2")
    await stage.customer.add_widget(stage.page_ref, "heading", "x", f"{MAIN}__cols__1", text="Inside", level="3")
    return columns


async def select(frame: EditorFrame, ref: int) -> Locator:
    await frame.send(type="select", widgetRef=ref)
    await frame.expect("selected", widgetRef=ref)
    await frame.button("Drag").wait_for()
    return frame.button("Drag")


async def middle(target: Locator) -> tuple[float, float]:
    """The middle of an element that no longer moves: fonts and the toolbar may still find their place."""
    before, box = None, await target.bounding_box()
    while box is None or box != before:
        await target.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        before, box = box, await target.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_drags_with_the_mouse(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "drags.example")
    await with_columns(stage)
    frame = stage.frame
    await frame.page.set_viewport_size({"width": 1280, "height": 1600})
    await frame.open()
    mouse = frame.page.mouse
    await mouse.move(*await middle(await select(frame, stage.button)))
    await mouse.down()
    x, y = await middle(frame.widget(stage.heading))
    await mouse.move(x, y - 30, steps=4)
    box = await frame.widget(stage.heading).bounding_box()
    assert box is not None
    await mouse.move(x, box["y"] + 2, steps=2)
    await mouse.up()
    await frame.expect("moved", widgetRef=stage.button, parentId=MAIN, position=1)
    await mouse.move(*await middle(await select(frame, stage.button)))
    await mouse.down()
    await mouse.move(*await middle(frame.frame.locator(f'[data-zone="{MAIN}__cols__0"]')), steps=5)
    await mouse.up()
    await frame.expect("moved", widgetRef=stage.button, parentId=f"{MAIN}__cols__0", position=0)


async def test_drags_with_a_finger(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "fingers.example", "phone")
    frame = stage.frame
    await frame.open()
    handle = await select(frame, stage.text)
    session = await frame.page.context.new_cdp_session(frame.page)

    async def touch(kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y} for x, y in points]
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    x, y = await middle(handle)
    await touch("touchStart", (x, y))
    box = await frame.widget(stage.heading).bounding_box()
    assert box is not None
    for step in range(1, 5):
        await touch("touchMove", (x, y + (box["y"] + 2 - y) * step / 4))
    await touch("touchEnd")
    await frame.expect("moved", widgetRef=stage.text, parentId=MAIN, position=0)


async def test_everything_by_keyboard(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "keyboard.example")
    columns = await with_columns(stage)
    frame = stage.frame
    await frame.open()
    await frame.frame.evaluate("document.body.focus(); window.focus()")
    keyboard = frame.page.keyboard
    await keyboard.press("ArrowDown")
    await frame.expect("selected", widgetRef=columns)
    await keyboard.press("ArrowDown")
    await keyboard.press("ArrowDown")
    await frame.expect("selected", widgetRef=stage.heading)
    await keyboard.press("Alt+ArrowDown")
    await frame.expect("action", name="moveDown", widgetRef=stage.heading, position=1)
    await keyboard.press("Alt+ArrowUp")
    await frame.expect("action", name="moveUp", widgetRef=stage.heading)
    await keyboard.press("Alt+ArrowRight")
    await frame.expect("moved", widgetRef=stage.heading, parentId=f"{MAIN}__cols__0", position=0)
    await keyboard.press("Enter")
    await keyboard.type("!")
    await keyboard.press("Escape")
    await frame.expect("edited", value="Our coffee!", isFinal=True)
    await keyboard.press("Delete")
    await frame.expect("action", name="delete", widgetRef=stage.heading)
    await keyboard.press("Control+d")
    await frame.expect("action", name="duplicate", widgetRef=stage.heading)
    await keyboard.press("Control+z")
    await frame.expect("shortcut", name="undo")
    await keyboard.press("Escape")
    await frame.expect("selected", widgetRef=None)
    status = frame.frame.get_by_role("status").last
    await keyboard.press("ArrowUp")
    await frame.expect("selected", widgetRef=stage.button)
    assert "of 5" in await status.inner_text()


async def test_adds_between_blocks_and_at_the_end(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "adds.example")
    frame = stage.frame
    await frame.open()
    await select(frame, stage.text)
    plus = frame.frame.locator(".add")
    await plus.first.click()
    await frame.expect("action", name="add", widgetRef=stage.text, parentId=MAIN, position=1)
    await plus.last.click()
    await frame.expect("action", name="add", widgetRef=stage.text, parentId=MAIN, position=2)
    await frame.frame.locator("[data-zone-end] button").click()
    await frame.expect("action", name="add", widgetRef=None, parentId=MAIN, position=3)


async def test_adds_into_an_empty_column(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "column.example")
    columns = await with_columns(stage)
    frame = stage.frame
    await frame.open()
    column = frame.frame.locator("[data-zone-empty]")
    await column.click()
    await frame.expect("selected", widgetRef=columns)
    assert await frame.received("action") == []
    await column.click(position={"x": 20, "y": 30})
    await frame.expect("action", name="add", widgetRef=None, parentId=f"{MAIN}__cols__0", position=0)
