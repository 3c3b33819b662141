"""Everything that can be done to a page in its panel is one step, which undo takes back, also after a reload."""

from typing import Any

import httpx
import pytest

from tests.browser.editor.editing import EditorWindow, eventually_stored
from tests.browser.window import Window
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually
from tests.support.service import Service

pytestmark = pytest.mark.system
FIELDS = ("ref", "title", "request", "parentId", "hiddenFromNavigation")


class PagesPanel:
    def __init__(self, editor: EditorWindow, customer: Customer) -> None:
        self.editor, self.customer = editor, customer

    async def stored(self) -> list[tuple[Any, ...]]:
        """All pages in order, as the API has them."""
        pages = (await done(self.customer.client.get(f"{self.customer.path}/pages")))["pages"]
        ordered = sorted(pages, key=lambda page: (page["displayOrder"], page["ref"]))
        return [tuple(page[name] for name in FIELDS) for page in ordered]

    async def act(self, title: str, action: str) -> None:
        """Open the menu of a page, and press one of its buttons."""
        panel = self.editor.panel
        menu = panel.locator("details.page-menu").filter(has=self.editor.page.get_by_label(f"Actions for {title}"))
        if await menu.get_attribute("open") is None:
            await menu.locator("summary").click()
        await menu.get_by_role("button", name=action, exact=True).click()

    async def becomes(self, *wanted: tuple[str, str, int, int]) -> None:
        """The pages have these titles, addresses, parents and places in the menu."""

        async def match() -> bool:
            return [page[1:] for page in await self.stored()] == list(wanted)

        await eventually(match)
        await self.editor.is_saved()

    async def undo(self, former: list[tuple[Any, ...]]) -> None:
        await self.editor.page.get_by_role("button", name="Undo", exact=True).click()

        async def match() -> bool:
            return await self.stored() == former

        await eventually(match)
        await self.editor.is_saved()


@pytest.fixture
async def pages(
    request: pytest.FixtureRequest, service: Service, client: httpx.AsyncClient, visitor: Window
) -> PagesPanel:
    host = f"{request.function.__name__}-{visitor.is_phone}.example".replace("_", "-").lower()
    customer = await make_customer(client, 1, host, package_ref=service.demo["brands"][0]["packages"]["pro"])
    for path, title in (("home", "Home"), ("menu", "Menu"), ("team", "Team")):
        await customer.add_page(path, title)
    editor = await EditorWindow.open(visitor, customer)
    await editor.tool("Pages")
    return PagesPanel(editor, customer)


HOME, MENU, TEAM = ("Home", "home", 0, 0), ("Menu", "menu", 0, 0), ("Team", "team", 0, 0)


async def test_every_action_is_one_step(pages: PagesPanel) -> None:
    before = await pages.stored()
    menu_ref = before[1][0]
    await pages.act("Team", "Make it the home page")
    await pages.becomes(("Home", "home-2", 0, 0), MENU, ("Team", "home", 0, 0))
    await pages.undo(before)
    await pages.act("Team", "Move up")
    await pages.becomes(HOME, TEAM, MENU)
    await pages.undo(before)
    await pages.act("Team", "Move below the page above")
    await pages.becomes(HOME, MENU, ("Team", "team", menu_ref, 0))
    await pages.undo(before)
    await pages.act("Menu", "Hide from the menu")
    await pages.becomes(HOME, ("Menu", "menu", 0, 1), TEAM)
    await pages.undo(before)
    await pages.act("Menu", "Duplicate")
    await pages.becomes(HOME, MENU, TEAM, ("Copy of Menu", "copy-of-menu", 0, 0))
    await pages.undo(before)
    await rename(pages)
    await pages.becomes(HOME, ("Food", "food", 0, 0), TEAM)
    await pages.undo(before)
    await pages.editor.button("Add a page").click()
    await pages.editor.dialog.get_by_label("Title").fill("Prices")
    await pages.editor.button("Create page").click()
    await pages.becomes(HOME, MENU, TEAM, ("Prices", "prices", 0, 0))
    await pages.undo(before)


async def rename(pages: PagesPanel) -> None:
    await pages.act("Menu", "Title, address, search")
    await pages.editor.dialog.get_by_label("Title", exact=True).fill("Food")
    await pages.editor.dialog.get_by_label("Address").fill("food")
    await pages.editor.button("Save").click()


async def test_a_wrong_address_loses_nothing_typed(pages: PagesPanel) -> None:
    dialog, save = pages.editor.dialog, pages.editor.button("Save")
    address = dialog.get_by_label("Address")
    await pages.act("Menu", "Title, address, search")
    await dialog.get_by_label("Title", exact=True).fill("Food")
    await dialog.get_by_label("Description").fill("What we cook")
    for typed, problem in (
        ("menü", "A page cannot have this address."),
        ("robots.txt", "This address is reserved."),
        ("Team", "Another page has this address."),
    ):
        await address.fill(typed)
        await save.click()
        await dialog.get_by_text(problem).wait_for()
        assert await address.evaluate("element => element === document.activeElement && element.ariaInvalid === 'true'")
    await address.fill("food")
    await save.click()
    await pages.becomes(HOME, ("Food", "food", 0, 0), TEAM)


async def test_settings_that_are_refused_are_shown_again(pages: PagesPanel) -> None:
    dialog, save = pages.editor.dialog, pages.editor.button("Save")
    await pages.act("Menu", "Title, address, search")
    await dialog.get_by_label("Title", exact=True).fill("Food")
    await dialog.get_by_label("Address").fill("food")
    await dialog.get_by_label("Description").fill("What we cook")
    await pages.customer.add_page("food", "Also food")  # by somebody else
    await save.click()
    await dialog.get_by_text("Another page has this address. Choose another one.").wait_for()
    assert await dialog.get_by_label("Title", exact=True).input_value() == "Food"
    assert await dialog.get_by_label("Description").input_value() == "What we cook"
    await dialog.get_by_label("Address").fill("meals")
    await save.click()
    await pages.becomes(HOME, ("Food", "meals", 0, 0), TEAM, ("Also food", "food", 0, 0))
    pages.editor.window.faults.clear()


async def test_a_deleted_page_comes_back_after_a_reload(pages: PagesPanel) -> None:
    before = await pages.stored()
    await pages.customer.add_widget(before[1][0], "heading", "soup", text="Soup")
    await pages.act("Menu", "Delete")
    await pages.editor.dialog.get_by_role("button", name="Delete").click()
    await pages.becomes(HOME, TEAM)
    await pages.editor.page.reload()
    await pages.editor.is_saved()
    await pages.undo(before)
    await pages.editor.tool("Pages")
    await pages.editor.panel.get_by_role("button", name="Menu", exact=True).click()
    if not pages.editor.window.is_phone:  # there the panel makes way for the page
        await pages.editor.button("Close").click()
    await pages.editor.write("Soup", "Stew")
    await eventually_stored(pages.customer.client, pages.customer, text="Stew")
