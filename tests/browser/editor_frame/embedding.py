"""A page that embeds the editor's frame as the editor does, and records the messages of the frame."""

from typing import Any

import httpx
from playwright.async_api import Frame, Locator, Page

from tests.browser.window import Window
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually

SERVICE = f"http://{SERVICE_HOST}"
TEXTS = {
    "moveUp": "Move up", "moveDown": "Move down", "duplicate": "Duplicate", "delete": "Delete",
    "settings": "Settings", "add": "Add a block", "drag": "Drag", "bold": "Bold", "italic": "Italic", "link": "Link",
    "unlink": "Remove link", "linkAddress": "Address of the link", "apply": "Apply", "paragraph": "Paragraph",
    "heading": "Heading", "subheading": "Subheading", "quotation": "Quotation", "bulletList": "List",
    "numberedList": "Numbered list", "alignStart": "Align left", "alignCenter": "Center", "alignEnd": "Align right",
    "undo": "Undo", "redo": "Redo", "picture": "Picture", "typeHere": "Type here", "empty": "nothing to show yet",
    "emptyPage": "Add the first block", "blockOf": "{type}, block {number} of {count}", "formatting": "Formatting",
    "block": "Block",
}  # fmt: skip
START = {
    "type": "start",
    "texts": TEXTS | {"types": {"heading": "Heading", "content": "Text", "image": "Picture"}},
    "canEdit": True,
    "rich": {"headings": True, "links": True, "lists": True, "pictures": True},
}
EMBED = """address => {
  const frame = document.createElement("iframe");
  Object.assign(frame, { title: "Page", src: address });
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0";
  window.received = [];
  addEventListener("message", (event) => {
    if (event.source === frame.contentWindow) received.push({ origin: event.origin, ...event.data });
  });
  window.send = (message) => frame.contentWindow.postMessage(message, "*");
  document.body.replaceChildren(frame);
}"""
"""Into the page of the account, whose policy allows frames of the service and no others."""


class EditorFrame:
    """The frame, as the editor's page sees it."""

    def __init__(self, window: Window, site_ref: int) -> None:
        self.window = window
        self.page: Page = window.page
        self.address = f"/account/sites/{site_ref}/edit/frame"

    async def open(self, page_ref: int | None = None, *, start: dict[str, Any] | None = START) -> None:
        address = self.address + (f"?page={page_ref}" if page_ref is not None else "")
        await self.page.goto(f"{SERVICE}/account")
        await self.page.evaluate(EMBED, address)
        await self.expect("hello")
        if start is not None:
            await self.send(**start)
            await self.expect("ready")

    @property
    def frame(self) -> Frame:
        [found] = [each for each in self.page.frames if self.address in each.url]
        return found

    async def send(self, **message: Any) -> None:
        await self.page.evaluate("message => send(message)", message)

    async def received(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.page.evaluate(
            "kind => received.filter(each => each.type === kind).map(({origin, ...rest}) => rest)", kind
        )
        return found

    async def expect(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Wait until the latest message of this kind has these fields."""

        async def last() -> dict[str, Any] | None:
            messages = await self.received(kind)
            is_it = bool(messages) and messages[-1].items() >= fields.items()
            return messages[-1] if is_it else None

        try:
            found: dict[str, Any] = await eventually(last)
        except AssertionError as error:
            raise AssertionError(f"{error}: {kind} {fields}; received {(await self.received(kind))[-2:]}") from None
        return found

    def widget(self, ref: int) -> Locator:
        return self.frame.locator(f'[data-widget="{ref}"]')

    def button(self, name: str) -> Locator:
        """A button on the content; Playwright looks into the shadow root."""
        return self.frame.get_by_role("button", name=name, exact=True)

    async def html(self) -> str:
        """The frame's page as the server renders it now, without the script."""
        tab = await self.page.context.new_page()
        response = await tab.goto(SERVICE + self.address)
        assert response is not None
        text = await response.text()
        await tab.close()
        return text

    async def render(self, keep: int | None = None) -> None:
        await self.send(type="render", html=await self.html(), keep=keep)


async def make_holder(client: httpx.AsyncClient, host: str) -> tuple[Customer, str]:
    """A customer with an empty home page, and a link that logs them in."""
    customer = await make_customer(client, 1, host)
    await customer.update_profile(business="Kettle & Cup")
    secret = (await done(client.post(f"/users/{customer.user_ref}/auto-login", json={})))["hash"]
    return customer, f"{SERVICE}/login?hash={secret}&r=/account"
