"""A new user makes a site for a dentist: ready-made pages, an own picture and opening hours, and publishes it."""

import httpx
import pytest
from playwright.async_api import FilePayload, Locator

from sitewright.sites.media.pictures.service import Format
from tests.browser.editor.editing import EditorWindow
from tests.browser.window import Window
from tests.support.customers import Customer, make_customer
from tests.support.pictures import picture
from tests.support.service import Service

pytestmark = pytest.mark.system
WORD = (
    "<html xmlns:o='urn:schemas-microsoft-com:office:office'><body><p class=MsoNormal style='mso-margin:0'>"
    "<b>Gentle</b> dentistry<o:p></o:p></p></body></html>"
)
PASTE = """(element, html) => {
  const data = new DataTransfer();
  data.setData("text/html", html);
  element.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}"""


async def press(window: Window, target: Locator) -> None:
    """By mouse on a desktop, by finger on a phone."""
    await (target.tap() if window.is_phone else target.click())


async def pick_block(editor: EditorWindow, title: str) -> None:
    """A section, else a block: sections come first."""
    await press(editor.window, editor.panel.get_by_role("button", name=title, exact=True).first)
    await editor.is_saved()


async def add_at_the_end(editor: EditorWindow, title: str) -> None:
    await press(editor.window, editor.site.locator("[data-zone-end] button"))
    await pick_block(editor, title)


async def type_into_new_block(editor: EditorWindow, words: str) -> None:
    """The new block has its text selected, so that typing replaces it."""
    await editor.site.locator("[contenteditable]").wait_for(state="visible")
    await editor.page.keyboard.type(words)
    await editor.shows(words)


async def enter_business(editor: EditorWindow) -> None:
    """A click on the headline leads to where it is changed."""
    await press(editor.window, editor.site.locator("[data-static=hero] h1"))
    await editor.panel.get_by_label("Headline").wait_for(state="visible")
    await editor.panel.get_by_label("Headline").fill("A smile for life")
    await editor.panel.get_by_label("Name of the business").fill("Dr. Dora Dent")
    await editor.panel.get_by_label("E-mail address").fill("dora@den")
    await editor.panel.get_by_label("Telephone").fill("+44 20 7946 0000")
    await editor.window.sees("Please enter an e-mail address, like ann@example.com.")
    await editor.panel.get_by_label("E-mail address").fill("dora@dent.example")
    await editor.page.keyboard.press("Tab")
    await editor.panel.locator(".field-error").wait_for(state="detached")
    editor.window.expect_failure("/edit/details")
    await editor.button("Close").click()
    await editor.shows("A smile for life")


async def add_picture(editor: EditorWindow) -> None:
    await add_at_the_end(editor, "Picture")
    file = FilePayload(name="door.png", mimeType="image/png", buffer=picture(Format.PNG, 60, 40))
    await editor.page.locator("input[type=file]").set_input_files([file])
    await editor.dialog.get_by_label("What does it show?").fill("Our door")
    await press(editor.window, editor.button("Use"))
    await editor.is_saved()
    await editor.site.get_by_role("img", name="Our door").wait_for(state="attached")


async def add_page(editor: EditorWindow, title: str) -> None:
    await editor.tool("Pages")
    await press(editor.window, editor.button("Add a page"))
    await editor.dialog.get_by_label("Title").fill(title)
    await editor.page.keyboard.press("Enter")
    await editor.site.get_by_role("heading", name=title, exact=True, level=1).wait_for(state="visible")
    await leave_pages(editor)


async def leave_pages(editor: EditorWindow) -> None:
    """The list of pages makes way for the page on a phone."""
    if not editor.window.is_phone:
        await editor.button("Close").click()
    await editor.panel.wait_for(state="hidden")


async def rename_services(editor: EditorWindow) -> None:
    """The page is called differently at a dentist's, and gets another address."""
    await editor.tool("Pages")
    await press(editor.window, editor.panel.get_by_role("button", name="Services", exact=True))
    await leave_pages(editor)
    await editor.tool("Pages")
    await editor.panel.get_by_label("Actions for Services").click()
    await press(
        editor.window, editor.panel.get_by_role("button", name="Title, address, search").locator("visible=true")
    )
    await editor.dialog.get_by_label("Title", exact=True).fill("Treatments")
    await editor.dialog.get_by_label("Address").fill("treatments")
    await press(editor.window, editor.button("Save"))
    await editor.site.get_by_role("heading", name="Treatments", exact=True, level=1).wait_for(state="visible")
    await editor.button("Close").click()


async def move_text_up(editor: EditorWindow) -> None:
    """With the button of the block, then back by undo, and again by redo."""
    await press(editor.window, editor.site.get_by_text("Gentle").first)
    await editor.page.keyboard.press("Escape")
    await press(editor.window, editor.site.get_by_role("button", name="Move up"))
    last_heading = editor.site.locator("main [data-widget]").last.and_(editor.site.locator("[data-type=heading]"))
    await last_heading.wait_for(state="visible")
    await editor.is_saved()
    await press(editor.window, editor.button("Undo"))
    await editor.site.locator("main [data-widget]").last.and_(editor.site.locator("[data-type=content]")).wait_for()
    await press(editor.window, editor.button("Redo"))
    await last_heading.wait_for(state="visible")
    await editor.is_saved()


async def begin(editor: EditorWindow) -> None:
    """The welcome dialog makes three pages in one step. The user takes it back, and chooses again."""
    await press(editor.window, editor.dialog.get_by_role("button", name="Home, services, contact"))
    await editor.shows("Good work, close to home")
    assert await editor.site.get_by_role("link", name="Get in touch").get_attribute("href") == "/contact"
    await press(editor.window, editor.button("Undo"))
    await press(editor.window, editor.dialog.get_by_role("button", name="Home, services, contact"))
    await editor.shows("Good work, close to home")
    await editor.is_saved()


async def write_home_page(editor: EditorWindow) -> None:
    await editor.write("Good work, close to home", "Good teeth, close to home")
    await editor.page.keyboard.press("Escape")
    await add_at_the_end(editor, "Heading")
    await type_into_new_block(editor, "Healthy teeth")
    await add_at_the_end(editor, "Text")  # while the heading is being typed: the click is not lost
    await type_into_new_block(editor, "Welcome")
    await editor.page.keyboard.press("ControlOrMeta+a")
    await editor.site.locator(".ProseMirror").evaluate(PASTE, WORD)
    await editor.site.locator(".ProseMirror strong", has_text="Gentle").wait_for()
    await editor.page.keyboard.press("Escape")
    await move_text_up(editor)
    await add_picture(editor)


async def publish(editor: EditorWindow) -> None:
    await press(editor.window, editor.button("Publish"))
    await editor.window.sees("The page “Emergencies” is still empty.")
    empty = editor.dialog.locator(".reason", has_text="Emergencies")
    await press(editor.window, empty.get_by_role("button", name="Open the page"))
    await add_at_the_end(editor, "Opening hours")
    await editor.site.locator("main [data-widget]").first.wait_for(state="visible")
    await editor.is_saved()
    await press(editor.window, editor.button("Publish"))
    await press(editor.window, editor.button("Publish now"))
    await editor.window.sees("Your website is published.")


async def view_site(window: Window, customer: Customer) -> None:
    await window.open(f"http://{customer.host}/")
    await window.sees("A smile for life")
    await window.sees("Good teeth, close to home")
    await window.sees("Healthy teeth")
    await window.page.locator("strong", has_text="Gentle").wait_for()
    await window.page.get_by_role("img", name="Our door").wait_for(state="attached")
    await window.expect_a_page_that_fits()
    await window.link("Get in touch").click()
    await window.sees("Write to us")
    await window.open(f"http://{customer.host}/treatments")
    await window.sees("Our prices")


async def test_makes_and_publishes_a_site(client: httpx.AsyncClient, service: Service, visitor: Window) -> None:
    domain = "dentist-phone.example" if visitor.is_phone else "dentist.example"
    customer = await make_customer(client, 1, domain, package_ref=service.demo["brands"][0]["packages"]["pro"])
    editor = await EditorWindow.open(visitor, customer)
    await begin(editor)
    await enter_business(editor)
    await write_home_page(editor)
    await rename_services(editor)
    await add_at_the_end(editor, "Text")
    await type_into_new_block(editor, "We clean, fill and straighten.")
    await add_page(editor, "Emergencies")
    await publish(editor)
    await view_site(visitor, customer)
