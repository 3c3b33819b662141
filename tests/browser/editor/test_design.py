"""The panel of the design: sets of colors and fonts are shown before they are chosen; CSS of the site's own."""

from typing import Any

import httpx
import pytest
from playwright.async_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow
from tests.browser.window import Window
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually
from tests.support.service import Service

pytestmark = pytest.mark.system
BACKGROUND = "element => getComputedStyle(document.body).backgroundColor"


async def global_values(client: httpx.AsyncClient, customer: Customer) -> dict[str, Any]:
    listed = (await done(client.get(f"{customer.path}/global-values")))["globalValues"]
    return {each["name"]: each["value"] for each in listed}


async def shows_set(editor: EditorWindow, kind: str, ref: int) -> None:
    await editor.site.locator(f"html[data-{kind}='{ref}']").wait_for(state="attached")


def choice(editor: EditorWindow, name: str) -> Locator:
    return editor.panel.get_by_role("button", name=name, exact=True)


async def open_design(editor: EditorWindow) -> None:
    await editor.shows("Hello")
    await editor.tool("Design")
    await choice(editor, "Vineyard").wait_for()


async def make_site(client: httpx.AsyncClient, domain: str, package_ref: int | None = None) -> Customer:
    customer = await make_customer(client, 1, domain, package_ref=package_ref)
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="Hello")
    return customer


async def test_colors_are_shown_while_the_mouse_moves_over_them(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "colors-by-mouse.example")
    editor = await EditorWindow.open(await window(), customer)
    await open_design(editor)
    before = await editor.site.locator("body").evaluate(BACKGROUND)
    await choice(editor, "Vineyard").hover()
    await shows_set(editor, "colours", 3)
    assert await editor.site.locator("body").evaluate(BACKGROUND) != before
    await choice(editor, "Tea garden").hover()
    await shows_set(editor, "colours", 2)
    await editor.panel.get_by_role("heading", name="Design", exact=True).hover()
    await shows_set(editor, "colours", 1)
    assert await editor.site.locator("body").evaluate(BACKGROUND) == before
    assert await global_values(client, customer) == {}
    await choice(editor, "Vineyard").click()
    await editor.panel.get_by_role("heading", name="Design", exact=True).hover()
    await editor.is_saved()
    await shows_set(editor, "colours", 3)
    assert (await global_values(client, customer))["colorSwatchRef"] == "3"
    await editor.button("Undo").click()
    await shows_set(editor, "colours", 1)


async def test_fonts_are_shown_while_the_keyboard_moves_through_them(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    customer = await make_site(client, "fonts-by-keyboard.example")
    editor = await EditorWindow.open(await window(), customer)
    await open_design(editor)
    choices = editor.panel.get_by_role("heading", name="Fonts").locator("xpath=..").get_by_role("button")
    samples = [await each.evaluate("each => getComputedStyle(each).fontFamily") for each in
               await choices.locator(".font-sample").all()]  # fmt: skip
    assert len(set(samples)) == len(samples) > 1
    await editor.window.tab_to(choices.first)
    await editor.page.keyboard.press("ArrowRight")
    await shows_set(editor, "fonts", 2)
    await editor.page.keyboard.press("ArrowLeft")
    await shows_set(editor, "fonts", 1)
    await editor.page.keyboard.press("Tab")
    await shows_set(editor, "fonts", 2)
    await editor.page.keyboard.press("Escape")  # leaves the panel without a choice
    await shows_set(editor, "fonts", 1)
    assert await global_values(client, customer) == {}
    await open_design(editor)
    await editor.window.tab_to(choices.nth(1))
    await editor.page.keyboard.press("Enter")
    await editor.is_saved()
    assert (await global_values(client, customer))["fontSwatchRef"] == "2"
    await editor.page.keyboard.press("ControlOrMeta+z")  # the set still has the focus, which is no preview
    await shows_set(editor, "fonts", 1)


async def test_a_set_is_chosen_by_finger(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "colors-by-finger.example")
    editor = await EditorWindow.open(await window("phone"), customer)
    await open_design(editor)
    await choice(editor, "Vineyard").tap()
    await shows_set(editor, "colours", 3)
    await editor.is_saved()
    assert (await global_values(client, customer))["colorSwatchRef"] == "3"


async def test_own_css_follows_the_template_and_typing_is_one_step(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    host = f"own-css-{'phone' if visitor.is_phone else 'desktop'}.example"
    customer = await make_site(client, host, service.demo["brands"][0]["packages"]["pro"])
    editor = await EditorWindow.open(visitor, customer)
    await open_design(editor)
    heading = editor.site.get_by_text("Hello", exact=True).first
    await editor.panel.get_by_label("CSS rules").click()
    await editor.page.keyboard.type("h2 { color: rgb(1, 2, 3) }", delay=40)

    async def has_color(color: str) -> bool:
        return bool(await heading.evaluate("each => getComputedStyle(each).color") == color)

    await eventually(lambda: has_color("rgb(1, 2, 3)"))
    await editor.is_saved()
    assert await editor.panel.get_by_label("CSS rules").input_value() == "h2 { color: rgb(1, 2, 3) }"
    assert (await global_values(client, customer))["customCss"] == "h2 { color: rgb(1, 2, 3) }"
    await editor.button("Undo").click()
    await editor.is_saved()
    assert await global_values(client, customer) == {}
    await eventually(lambda: is_empty(editor.panel.get_by_label("CSS rules")))


async def is_empty(field: Locator) -> bool:
    return await field.input_value() == ""


async def test_own_css_is_not_offered_where_the_package_lacks_it(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "no-css.example")
    editor = await EditorWindow.open(await window(), customer)
    await open_design(editor)
    await editor.panel.get_by_text("Parts that visitors see").wait_for()
    assert await editor.panel.get_by_label("CSS rules").count() == 0


async def test_the_words_of_the_bar_are_one_step_and_its_switch_another(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    customer = await make_site(client, "announcing.example")
    editor = await EditorWindow.open(await window(), customer)
    await open_design(editor)
    await editor.panel.get_by_label("Text", exact=True).click()
    await editor.page.keyboard.type("Closed on Monday", delay=60)
    await editor.shows("Closed on Monday")
    await editor.panel.get_by_label("Show the bar").uncheck()
    await editor.site.get_by_text("Closed on Monday").wait_for(state="detached")
    await editor.button("Undo").click()
    await editor.shows("Closed on Monday")
    await editor.button("Undo").click()
    await editor.site.get_by_text("Closed", exact=False).first.wait_for(state="detached")
    assert await editor.panel.get_by_label("Text", exact=True).input_value() == ""


@pytest.mark.parametrize("template", ["corner-shop", "guest-house"])
async def test_a_click_on_the_large_picture_leads_to_its_choice(
    client: httpx.AsyncClient, visitor: Window, template: str
) -> None:
    """Also on the drawing that a template shows until there is a picture."""
    templates = {each["directory"]: each["ref"] for each in (await done(client.get("/v2/templates")))["templates"]}
    domain = f"drawing-{template}-{visitor.is_phone}".lower() + ".example"
    customer = await make_customer(client, 1, domain, templateRef=templates[template])
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="Hello")
    editor = await EditorWindow.open(visitor, customer)
    await editor.site.locator("[data-static=featureimage]").click()
    field = editor.panel.get_by_role("group", name="Large picture of the home page")
    await field.get_by_role("button", name="Choose picture").wait_for(state="visible")
    assert await field.get_by_role("button", name="Choose picture").evaluate("each => each === document.activeElement")
