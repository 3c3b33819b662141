"""The editor's frame: the handshake, selection, typing and new renderings."""

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.editor_frame.embedding import START
from tests.browser.editor_frame.stage import make_stage
from tests.support.eventually import eventually

pytestmark = pytest.mark.system
RECEIVE = (
    "() => { globalThis.received = new Promise(done => addEventListener('message', () => done(), { once: true })); }"
)


async def test_the_frame_does_nothing_until_it_is_started(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "handshake.example")
    frame = stage.frame
    await frame.open(start=None)
    await frame.send(type="select", widgetRef=stage.heading)
    await frame.widget(stage.heading).click()
    assert {each["type"] for each in await frame.page.evaluate("received")} == {"hello"}
    assert await frame.page.evaluate("received[0].origin") == "null"
    await frame.send(type="start", texts={}, canEdit="yes", rich=START["rich"])  # invalid: ignored
    await frame.send(**START)
    await frame.expect("ready")
    await frame.send(type="select", widgetRef=stage.heading)
    await frame.expect("selected", widgetRef=stage.heading)


async def test_selects_and_acts(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "selects.example")
    frame = stage.frame
    await frame.open()
    await frame.widget(stage.heading).click()
    await frame.expect("selected", widgetRef=stage.heading)
    await frame.page.keyboard.press("Escape")
    await frame.button("Move down").click()
    place = {"widgetRef": stage.heading, "parentId": "page-zones__main", "position": 0}
    await frame.expect("action", name="moveDown", **place)
    assert await frame.button("Move up").is_disabled()
    for name, action in (("Duplicate", "duplicate"), ("Settings", "settings"), ("Delete", "delete")):
        await frame.button(name).click()
        await frame.expect("action", name=action, **place)


async def test_types_into_a_line(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "types.example")
    frame = stage.frame
    await frame.open()
    await frame.widget(stage.heading).click()
    await frame.page.keyboard.press("End")
    await frame.page.keyboard.type(" & tea")
    edited = {"widgetRef": stage.heading, "name": "text", "value": "Our coffee & tea"}
    await frame.expect("edited", **edited, isFinal=False)
    await frame.page.keyboard.press("Enter")
    await frame.expect("edited", **edited, isFinal=True)
    assert await frame.widget(stage.heading).get_attribute("contenteditable") is None


async def test_a_new_rendering_is_morphed_in(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "morphs.example")
    frame = stage.frame
    await frame.open()
    await frame.widget(stage.text).evaluate("element => element.setAttribute('data-same', '1')")
    await stage.customer.set_values(stage.heading, text="Our tea")
    added = await stage.customer.add_widget(stage.page_ref, "heading", "d", text="Added")
    await frame.render()
    await frame.widget(added).wait_for()
    assert await frame.widget(stage.heading).inner_text() == "Our tea"
    assert await frame.frame.locator("[id^=editor-widget]").count() == 0
    assert await frame.frame.locator("h2").all_inner_texts() == ["Added", "Our tea"]


async def test_a_rendering_waits_while_somebody_types(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "waits.example")
    frame = stage.frame
    await frame.open()
    await stage.customer.set_values(stage.button, text="Our menu")
    html = await frame.html()
    await frame.widget(stage.heading).click()
    await frame.page.keyboard.press("End")
    await frame.page.keyboard.type("!")
    body = frame.frame.locator("body")
    await body.evaluate(RECEIVE)
    await frame.send(type="render", html=html, keep=None)
    await body.evaluate("() => globalThis.received")  # keys do not wait for messages
    await frame.page.keyboard.type("!")
    assert await frame.widget(stage.heading).inner_text() == "Our coffee!!"
    await frame.page.keyboard.press("Enter")

    async def is_shown() -> bool:
        return await frame.widget(stage.button).inner_text() == "Our menu"

    await eventually(is_shown)
    assert await frame.widget(stage.heading).inner_text() == "Our coffee!!"


async def test_links_lead_nowhere_but_are_reported(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "frame-links.example")
    await stage.customer.add_page("menu", "Menu page")
    frame = stage.frame
    await frame.open()
    await frame.frame.get_by_role("link", name="Menu page").click()
    await frame.expect("navigate", path="/menu")
    await frame.send(type="mode", editing=False)
    await frame.widget(stage.button).get_by_role("link").click()
    await frame.expect("navigate", path="/menu")
    assert await frame.received("selected") == []
    assert frame.frame.url.endswith("/edit/frame")
