"""Pictures in the editor: several at once by drop, paste and file selection; alternative texts; crops."""

import base64
from typing import Any

import httpx
import pytest
from playwright.async_api import FilePayload, Locator, Page

from sitewright.sites.media.pictures.service import Format
from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow, widget_values
from tests.browser.window import Window
from tests.support.customers import Customer, done, make_customer
from tests.support.pictures import picture
from tests.support.service import Service

pytestmark = pytest.mark.system
SEND = """(element, [type, files]) => {
  const data = new DataTransfer();
  for (const [name, kind, content] of files) {
    data.items.add(new File([Uint8Array.from(atob(content), (each) => each.charCodeAt(0))], name, {type: kind}));
  }
  const about = {bubbles: true, cancelable: true};
  element.dispatchEvent(type === "paste"
    ? new ClipboardEvent(type, {...about, clipboardData: data})
    : new DragEvent(type, {...about, dataTransfer: data, clientX: 200, clientY: 300}));
}"""
"""What a browser reports where somebody drops or pastes files."""


def file(name: str, kind: str = "image/png", content: bytes | None = None) -> FilePayload:
    return FilePayload(name=name, mimeType=kind, buffer=picture(Format.PNG, 64, 48) if content is None else content)


async def send(target: Locator, event: str, *files: FilePayload) -> None:
    content = [[each["name"], each["mimeType"], base64.b64encode(each["buffer"]).decode()] for each in files]
    await target.evaluate(SEND, [event, content])


async def make_site(service: Service, client: httpx.AsyncClient, visitor: Window, name: str) -> tuple[Customer, int]:
    host = f"{name}-{'phone' if visitor.is_phone else 'desktop'}.example"
    package_ref = service.demo["brands"][0]["packages"]["pro"]
    customer = await make_customer(client, 1, host, package_ref=package_ref)
    return customer, await customer.add_page("home", "Home")


async def library(client: httpx.AsyncClient, customer: Customer) -> list[dict[str, Any]]:
    """Newest first."""
    listed: list[dict[str, Any]] = (await done(client.get(f"{customer.path}/media")))["media"]
    return listed


async def test_several_files_are_dropped_and_one_that_fails_stops_no_other(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    customer, page = await make_site(service, client, visitor, "dropping")
    await customer.add_widget(page, "heading", "first", text="Hello")
    editor = await EditorWindow.open(visitor, customer)
    await editor.shows("Hello")
    files = [
        file("bar.png"),
        file("broken.png", content=b"\x89PNG no picture"),
        file("menu.pdf", "application/pdf", b"%PDF"),
    ]
    await send(editor.site.locator("body"), "drop", *files, file("door.png"))
    await editor.dialog.get_by_text("broken.png was not uploaded. It is not a complete picture").wait_for()
    await editor.dialog.get_by_text("menu.pdf was not uploaded. It is not a complete picture").wait_for()
    editor.window.expect_failure("/edit/media")
    await editor.dialog.get_by_label("What does bar.png show?").fill("The bar")
    await editor.dialog.get_by_label("What does door.png show?").fill("Our door")
    await editor.button("Use").click()
    for name in ("The bar", "Our door"):
        await editor.site.get_by_role("img", name=name).wait_for(state="attached")
    assert [(each["name"], each["alt"]) for each in await library(client, customer)] == [
        ("door.png", "Our door"),
        ("bar.png", "The bar"),
    ]


async def test_an_upload_that_was_cut_off_is_repeated(
    client: httpx.AsyncClient, service: Service, visitor: Window
) -> None:
    customer, _ = await make_site(service, client, visitor, "repeating")
    editor = await EditorWindow.open(visitor, customer)
    await editor.add_block("Picture")
    await editor.dialog.locator("[data-empty]").wait_for()  # the library was listed, by the same address
    await editor.page.route("**/edit/media", lambda route: route.abort(), times=1)
    await editor.page.locator("input[type=file]").set_input_files([file("bar.png"), file("door.png")])
    await editor.dialog.get_by_text("bar.png was not uploaded. Check your connection and try again.").wait_for()
    editor.window.faults.clear()  # the connection that was cut off
    await editor.dialog.get_by_role("button", name="door.png").wait_for()
    await editor.dialog.get_by_role("button", name="Try again").click()
    await editor.dialog.get_by_role("button", name="bar.png").wait_for()
    assert await editor.dialog.locator(".upload").count() == 0
    await editor.dialog.get_by_label("What does it show?").fill("Our door")
    await editor.button("Use").click()
    await editor.site.get_by_role("img", name="Our door").wait_for(state="attached")


async def test_pictures_are_pasted_and_become_entries_of_a_gallery(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    customer, page = await make_site(service, client, visitor, "gallery")
    await customer.add_widget(page, "gallery", "gallery", images="[]")
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.locator("[data-type=gallery]").click()  # it is empty: the click asks for pictures at once
    await send(editor.dialog, "paste", file("one.png"), file("two.png"))
    await editor.dialog.get_by_label("What does two.png show?").fill("Two")
    await editor.dialog.get_by_label("What does one.png show?").fill("One")
    await editor.button("Use").click()
    await editor.site.get_by_role("img", name="Two").wait_for(state="attached")
    await editor.is_saved()
    one, two = reversed(await library(client, customer))
    [values] = await widget_values(client, customer)
    assert [f'"src":"media:{each["ref"]}","alt":"{each["alt"]}"' in values["images"] for each in (one, two)] == [
        True
    ] * 2
    await editor.open_form()
    assert await editor.panel.locator(".list-rows summary").all_inner_texts() == ["One", "Two"]


async def test_many_pictures_leave_the_button_that_uses_them_in_view(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    customer, page = await make_site(service, client, visitor, "many")
    await customer.add_widget(page, "gallery", "gallery", images="[]")
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.locator("[data-type=gallery]").click()
    await send(editor.dialog, "paste", *(file(f"{number}.png") for number in range(6)))
    await editor.dialog.get_by_label("What does 5.png show?").wait_for()
    assert await editor.dialog.get_by_text("For people who cannot see it").count() == 1
    assert await editor.dialog.evaluate("dialog => dialog.scrollHeight > dialog.clientHeight && dialog.scrollTop === 0")
    button = await editor.button("Use").bounding_box()
    dialog = await editor.dialog.bounding_box()
    assert button is not None and dialog is not None
    assert button["y"] + button["height"] <= dialog["y"] + dialog["height"]


async def test_an_entry_stays_open_while_its_picture_is_chosen(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    customer, page = await make_site(service, client, visitor, "portrait")
    await customer.add_widget(page, "team", "team", people='[{"name": "Dora Dent"}, {"name": "Tom Clean"}]')
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.get_by_text("Tom Clean").click()
    await editor.open_form()
    await editor.panel.locator("summary", has_text="Tom Clean").click()
    await editor.button("Choose picture").locator("visible=true").click()
    await send(editor.dialog, "paste", file("tom.png"))
    await editor.dialog.get_by_label("What does it show?").fill("Tom")
    await editor.button("Use").click()
    await editor.is_saved()
    await editor.panel.locator("summary:has(img:visible)", has_text="Tom Clean").wait_for(state="visible")
    assert await editor.panel.locator("details[open] > summary").all_inner_texts() == ["Tom Clean"]


async def drag(page: Page, handle: Locator, x: float, y: float) -> None:
    """By finger where the screen has touch, else by mouse."""
    box = await handle.bounding_box()
    assert box is not None
    start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    if not await page.evaluate("navigator.maxTouchPoints > 0"):
        await page.mouse.move(*start)
        await page.mouse.down()
        await page.mouse.move(start[0] + x, start[1] + y, steps=4)
        await page.mouse.up()
        return
    session = await page.context.new_cdp_session(page)
    for kind, share in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0), ("touchEnd", None)):
        points = [] if share is None else [{"x": start[0] + x * share, "y": start[1] + y * share}]
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


async def open_crop(editor: EditorWindow, width: int, height: int) -> None:
    await editor.add_block("Picture")
    photo = file("bar.jpg", "image/jpeg", picture(Format.JPEG, width, height))
    await editor.page.locator("input[type=file]").set_input_files([photo])
    await editor.dialog.get_by_label("What does it show?").fill("The bar")
    await editor.dialog.get_by_role("button", name="Crop", exact=True).click()
    await editor.page.get_by_text(f"{width} × {height} pixels").wait_for()


async def test_a_picture_is_cropped_by_mouse_and_finger(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    customer, _ = await make_site(service, client, visitor, "cropping")
    editor = await EditorWindow.open(visitor, customer)
    await open_crop(editor, 1200, 800)
    dialog = editor.dialog.last
    save = dialog.get_by_role("button", name="Crop", exact=True)
    assert await save.is_disabled()
    stage = await dialog.locator(".crop-stage").bounding_box()
    assert stage is not None
    corner = dialog.get_by_role("button", name="Lower right corner")
    await drag(editor.page, corner, -stage["width"] / 2, -stage["height"] / 2)
    await drag(editor.page, dialog.get_by_role("button", name="The part that stays"), stage["width"], 0)
    await save.click()
    await editor.dialog.get_by_role("button", name="The bar").wait_for()
    await editor.button("Use").click()
    await editor.site.get_by_role("img", name="The bar").wait_for(state="attached")
    await editor.is_saved()
    cropped, original = await library(client, customer)
    assert (original["width"], original["height"], cropped["alt"]) == (1200, 800, "The bar")
    assert abs(cropped["width"] - 600) <= 12, "a pixel of the screen is three of the picture"
    assert abs(cropped["height"] - 400) <= 12
    assert (await widget_values(client, customer))[0]["src"] == f"media:{cropped['ref']}"


async def test_a_picture_is_cropped_by_keyboard(
    service: Service, client: httpx.AsyncClient, window: OpenWindow
) -> None:
    visitor = await window()
    customer, _ = await make_site(service, client, visitor, "cropping-keys")
    editor = await EditorWindow.open(visitor, customer)
    await open_crop(editor, 900, 600)
    dialog = editor.dialog.last
    await dialog.get_by_label("Shape").select_option("1:1")
    await editor.page.get_by_text("600 × 600 pixels").wait_for()
    corner = dialog.get_by_role("button", name="Upper left corner")
    await corner.focus()
    for _ in range(5):
        await editor.page.keyboard.press("ArrowRight")  # the shape stays
    await editor.page.get_by_text("510 × 510 pixels").wait_for()
    await dialog.get_by_role("button", name="Crop", exact=True).focus()
    await editor.page.keyboard.press("Enter")
    await editor.dialog.get_by_role("button", name="The bar").wait_for()
    assert [(each["width"], each["height"]) for each in await library(client, customer)] == [(510, 510), (900, 600)]


async def test_a_small_package_offers_no_crop(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "no-crop.example")
    await customer.add_page("home", "Home")
    editor = await EditorWindow.open(await window(), customer)
    await editor.add_block("Picture")
    await editor.page.locator("input[type=file]").set_input_files([file("bar.png")])
    await editor.dialog.get_by_label("What does it show?").wait_for()
    assert await editor.dialog.get_by_role("button", name="Crop", exact=True).count() == 0


async def test_a_picture_is_uploaded_after_a_log_in_in_another_tab(
    client: httpx.AsyncClient, service: Service, visitor: Window
) -> None:
    customer, _ = await make_site(service, client, visitor, "other-session")
    editor = await EditorWindow.open(visitor, customer)
    await editor.add_block("Picture")
    await editor.dialog.locator("[data-empty]").wait_for()
    await editor.page.context.clear_cookies()
    other = EditorWindow(Window(await editor.page.context.new_page()), customer)
    await other.log_in("/account")
    await other.page.close()
    await editor.page.locator("input[type=file]").set_input_files([file("bar.png")])
    await editor.dialog.get_by_role("button", name="bar.png").wait_for()
    assert [each["name"] for each in await library(client, customer)] == ["bar.png"]
    editor.window.expect_failure("/edit/media")


async def test_alternative_texts_wait_until_the_service_is_there_again(
    client: httpx.AsyncClient, service: Service, visitor: Window
) -> None:
    customer, _ = await make_site(service, client, visitor, "unavailable-texts")
    editor = await EditorWindow.open(visitor, customer)
    await editor.add_block("Picture")
    await editor.page.locator("input[type=file]").set_input_files([file("bar.png")])
    await editor.page.route(
        "**/edit/media/*", lambda route: route.fulfill(status=503, json={"code": "unavailable"}), times=1
    )
    await editor.dialog.get_by_label("What does it show?").fill("The bar")
    await editor.window.sees("That could not be saved. Try again.")
    await editor.button("Use").click()
    await editor.site.get_by_role("img", name="The bar").wait_for(state="attached")
    assert [each["alt"] for each in await library(client, customer)] == ["The bar"]
    editor.window.faults.clear()
