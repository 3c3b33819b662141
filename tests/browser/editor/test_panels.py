"""The panels of history, preview links and redirects, used as people use them."""

import asyncio

import httpx
import pytest
from playwright.async_api import Route

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow
from tests.browser.window import Window
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually
from tests.support.service import Service

pytestmark = pytest.mark.system


async def make_published(service: Service, client: httpx.AsyncClient, host: str) -> Customer:
    """A customer of the largest package whose site was published twice: with "Before", then with "After"."""
    package_ref = service.demo["brands"][0]["packages"]["pro"]
    customer = await make_customer(client, 1, host, package_ref=package_ref)
    page = await customer.add_page("home", "Home")
    await customer.add_page("menu", "Our menu")
    heading = await customer.add_widget(page, "heading", "first", text="Before")
    await customer.publish()
    await customer.set_values(heading, text="After")
    await customer.publish()
    return customer


async def test_a_version_is_viewed_put_back_online_and_edited(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    customer = await make_published(service, client, f"history-{'phone' if visitor.is_phone else 'desktop'}.example")
    editor = await EditorWindow.open(visitor, customer)
    await editor.tool("History")
    versions = editor.panel.get_by_role("listitem")
    await versions.nth(1).wait_for()
    assert "Online" in await versions.nth(0).inner_text()
    await editor.panel.frame_locator("iframe").nth(0).get_by_text("After").wait_for(state="attached")
    await versions.nth(1).get_by_role("button", name="View").click()
    shown = editor.dialog.frame_locator("iframe")
    await shown.get_by_text("Before", exact=True).wait_for()
    await editor.dialog.get_by_role("button", name="Put back online").click()
    await editor.dialog.last.get_by_role("button", name="Put back online").click()
    await editor.page.get_by_text("is online again").wait_for()
    listed = (await done(client.get(f"{customer.path}/versions")))["versions"]
    assert [each["current"] for each in listed] == [False, True]
    await versions.nth(1).get_by_role("button", name="View").click()
    await editor.dialog.get_by_role("button", name="Continue editing from it").click()
    await editor.dialog.last.get_by_role("button", name="Continue editing from it").click()
    await editor.shows("Before")
    await editor.page.reload()
    await editor.shows("Before")
    await editor.button("Undo").click()
    await editor.shows("After")
    await editor.button("Redo").click()
    await editor.shows("Before")


async def test_links_of_a_version_lead_to_its_pages(
    service: Service, client: httpx.AsyncClient, window: OpenWindow
) -> None:
    customer = await make_published(service, client, "version-links.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.tool("History")
    await editor.panel.get_by_role("button", name="View").nth(1).click()
    shown = editor.dialog.frame_locator("iframe")
    await shown.get_by_text("Before", exact=True).wait_for()
    await shown.get_by_role("navigation").get_by_role("link", name="Our menu").click()
    await shown.get_by_role("heading", name="Our menu").wait_for()
    await editor.dialog.get_by_role("button", name="Phone").click()
    box = await editor.dialog.locator("iframe").bounding_box()
    assert box is not None
    assert box["width"] == 390


async def test_a_preview_is_shared_and_revoked(service: Service, client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_published(service, client, "sharing.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.tool("Preview")
    await editor.button("Share a link").click()
    await editor.panel.get_by_role("button", name="Create a link").click()
    address = await editor.panel.get_by_label("Address of the preview").input_value()
    guest = await window()
    await guest.page.goto(address)
    await guest.page.get_by_text("After", exact=True).wait_for()
    await editor.panel.get_by_role("button", name="Revoke the link").click()
    await editor.dialog.get_by_role("button", name="Revoke").click()
    await editor.panel.get_by_label("Address of the preview").wait_for(state="detached")
    await guest.open(address, 404)
    await editor.button("Back to editing").click()
    await editor.page.locator("[data-preview-bar]").wait_for(state="hidden")


async def test_redirects_are_added_and_deleted(service: Service, client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_published(service, client, "redirecting.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.tool("Pages")
    await editor.panel.get_by_role("button", name="Redirects").click()
    await editor.panel.get_by_label("Former address").fill("/old-menu")
    await editor.panel.get_by_label("Leads to").select_option(label="Our menu")
    may_respond = asyncio.Event()

    async def hold(route: Route) -> None:
        if route.request.method == "GET":
            await may_respond.wait()
        await route.continue_()

    await editor.page.route("**/edit/redirects", hold)
    async with editor.page.expect_request(lambda sent: sent.url.endswith("/redirects") and sent.method == "GET"):
        await editor.panel.get_by_role("button", name="Add redirect").click()
    await editor.panel.get_by_label("Former address").fill("/shop")  # while the list is being loaded again
    may_respond.set()
    await editor.panel.get_by_text("/old-menu", exact=True).wait_for()
    assert await editor.panel.get_by_label("Former address").input_value() == "/shop"
    await editor.panel.get_by_label("Leads to").select_option(label="Another website …")
    await editor.panel.get_by_label("Address of the other website").fill("https://shop.example.com/")
    await editor.panel.get_by_role("button", name="Add redirect").click()
    await editor.panel.get_by_text("/shop", exact=True).wait_for()
    await editor.panel.get_by_role("button", name="Delete the redirect from /old-menu").click()
    await editor.dialog.get_by_role("button", name="Delete").click()
    await editor.panel.get_by_text("/old-menu", exact=True).wait_for(state="detached")
    listed = (await done(client.get(f"{customer.path}/redirects")))["redirects"]
    assert [(each["from"], each["to"]) for each in listed] == [("shop", "https://shop.example.com/")]


async def test_a_small_package_explains_what_it_does_not_include(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "small-package.example")
    await customer.add_page("home", "Home")
    editor = await EditorWindow.open(await window(), customer)
    await editor.tool("Pages")
    await editor.panel.get_by_role("button", name="Redirects").click()
    await editor.panel.get_by_text("Adding redirects is not in your package.").wait_for()
    assert await editor.panel.get_by_role("link", name="See your package").get_attribute("href") == "/account/package"
    assert await editor.panel.get_by_role("button", name="Add redirect").count() == 0


async def test_pages_are_ordered_and_nested_by_dragging(client: httpx.AsyncClient, visitor: Window) -> None:
    customer = await make_customer(client, 1, f"dragging-{'phone' if visitor.is_phone else 'desktop'}.example")
    refs = [await customer.add_page(name, name.title()) for name in ("home", "menu", "team")]
    editor = await EditorWindow.open(visitor, customer)
    await editor.tool("Pages")

    async def drag(moved: int, onto: int, share: float) -> None:
        """`share`: how far down in the row."""
        handle = await editor.panel.locator(f"[data-page='{refs[moved]}'] .page-handle").bounding_box()
        row = await editor.panel.locator(f"[data-page='{refs[onto]}']").bounding_box()
        assert handle is not None
        assert row is not None
        await editor.page.mouse.move(handle["x"] + 10, handle["y"] + 20)
        await editor.page.mouse.down()
        await editor.page.mouse.move(row["x"] + 60, row["y"] + row["height"] * share, steps=4)
        await editor.page.mouse.up()
        await editor.is_saved()

    async def places() -> list[tuple[int, int]]:
        pages = (await done(client.get(f"{customer.path}/pages")))["pages"]
        return [(refs.index(each["ref"]), each["parentId"]) for each in sorted(pages, key=lambda p: p["displayOrder"])]

    async def are(wanted: list[tuple[int, int]]) -> None:
        async def match() -> bool:
            return await places() == wanted

        await eventually(match)

    await drag(2, 1, 0.1)
    await are([(0, 0), (2, 0), (1, 0)])
    await drag(1, 2, 0.5)
    await eventually_nested(editor, refs)
    assert dict(await places())[1] == refs[2]
    await editor.button("Undo").click()
    await are([(0, 0), (2, 0), (1, 0)])


async def eventually_nested(editor: EditorWindow, refs: list[int]) -> None:
    """The panel shows the second page below the third."""
    await editor.panel.locator(f"li:has(> [data-page='{refs[2]}']) [data-page='{refs[1]}']").wait_for()
