"""A site of a logged-in account holder, with the frame of its home page."""

import httpx
import msgspec

from tests.browser.conftest import OpenWindow
from tests.browser.editor_frame.embedding import EditorFrame, make_holder
from tests.support.customers import Customer


class Stage(msgspec.Struct, frozen=True):
    frame: EditorFrame
    customer: Customer
    page_ref: int
    heading: int
    text: int
    button: int


async def make_stage(client: httpx.AsyncClient, window: OpenWindow, host: str, screen: str = "desktop") -> Stage:
    """A heading, a text and a button, in this order."""
    customer, link = await make_holder(client, host)
    page_ref = await customer.add_page("home", "Home")
    # The newest widget is the first one.
    button = await customer.add_widget(page_ref, "button", "c", text="Menu", url="menu")
    text = await customer.add_widget(page_ref, "content", "b", content="<p>Open <strong>daily</strong>.</p>")
    heading = await customer.add_widget(page_ref, "heading", "a", text="Our coffee")
    holder = await window(screen)
    await holder.open(link)
    return Stage(EditorFrame(holder, customer.site["ref"]), customer, page_ref, heading, text, button)
