"""The editor in a browser window, used as people use it."""

from typing import Any

import httpx
from playwright.async_api import FrameLocator, Locator

from tests.browser.window import Window
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import Customer, done
from tests.support.eventually import eventually

SERVICE = f"http://{SERVICE_HOST}"


class EditorWindow:
    def __init__(self, window: Window, customer: Customer) -> None:
        self.window, self.page, self.customer = window, window.page, customer

    @classmethod
    async def open(cls, window: Window, customer: Customer, page_ref: int | None = None) -> "EditorWindow":
        editor = cls(window, customer)
        await editor.log_in(f"{editor.path}{'' if page_ref is None else f'?page={page_ref}'}")
        await editor.is_saved()
        return editor

    @property
    def path(self) -> str:
        return f"/account/sites/{self.customer.site['ref']}/edit"

    async def log_in(self, target: str) -> None:
        body = {"siteRef": self.customer.site["ref"]}
        response = await done(self.customer.client.post(f"/users/{self.customer.user_ref}/auto-login", json=body))
        await self.page.goto(f"{SERVICE}/login?hash={response['hash']}&r={target}")

    @property
    def site(self) -> FrameLocator:
        return self.page.frame_locator("[data-stage] iframe")

    @property
    def panel(self) -> Locator:
        return self.page.locator("[data-panel]")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    async def tool(self, name: str) -> None:
        await self.page.get_by_role("toolbar").get_by_role("button", name=name, exact=True).click()

    async def state(self, state: str) -> None:
        await self.page.locator(f"[data-indicator][data-state={state}]").wait_for(state="attached")

    async def is_saved(self) -> None:
        await self.state("saved")

    async def shows(self, text: str) -> None:
        """The page in the middle shows a text."""
        await self.site.get_by_text(text, exact=True).first.wait_for(state="visible")

    async def write(self, old: str, new: str) -> None:
        """Click a text in the page and type another one."""
        await self.site.get_by_text(old, exact=True).first.click()
        await self.page.keyboard.press("ControlOrMeta+a")
        await self.page.keyboard.type(new)

    async def insert(self, old: str, new: str) -> None:
        """The same at once, as one change: what is typed during a pause of the machine can become several."""
        await self.site.get_by_text(old, exact=True).first.click()
        await self.page.keyboard.press("ControlOrMeta+a")
        await self.page.keyboard.insert_text(new)

    async def add_section(self, title: str) -> None:
        await self.tool("Add")
        await self.panel.get_by_role("button", name=title, exact=True).first.click()
        await self.panel.locator(".choices").first.wait_for(state="hidden")
        await self.is_saved()

    async def open_form(self) -> None:
        """Show the form of the selected block, which a phone shows on request."""
        if self.window.is_phone:
            await self.site.get_by_role("button", name="Settings").click()
        await self.panel.locator("form").wait_for(state="visible")

    async def order_of(self, *texts: str) -> list[str]:
        """These texts in the order in which the page has them."""
        shown = await self.site.locator("body").text_content() or ""
        return sorted(texts, key=shown.index)

    async def add_block(self, title: str) -> None:
        """Sections, which may have the same title, come first."""
        await self.tool("Add")
        await self.panel.get_by_role("button", name=title, exact=True).last.click()
        await self.is_saved()


async def widget_values(client: httpx.AsyncClient, customer: Customer) -> list[dict[str, Any]]:
    """The values of every widget of the site, as the API has them."""
    listed = (await done(client.get(f"{customer.path}/widgets")))["widgets"]
    return [{value["name"]: value["value"] for value in each["values"]} for each in listed]


async def eventually_stored(client: httpx.AsyncClient, customer: Customer, **values: str) -> None:
    async def is_stored() -> bool:
        return any(values.items() <= each.items() for each in await widget_values(client, customer))

    await eventually(is_stored)
