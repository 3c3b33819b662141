"""The welcome dialog of a site without pages."""

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow
from tests.support.customers import done, make_customer

pytestmark = pytest.mark.system


async def test_the_welcome_is_skipped_by_one_click(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "skipping.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.button("Skip").click()
    await editor.panel.get_by_text("This site has no page yet. Add the first one.").wait_for()
    assert (await done(client.get(f"{customer.path}/pages")))["pages"] == []
    await editor.panel.get_by_role("button", name="Choose ready-made pages").click()
    larger = editor.dialog.get_by_role("button", name="Home, services, contact")
    assert await larger.is_disabled(), "the package allows two pages"
    await editor.window.sees("Your package allows 2 pages, and you have 0.")
    await editor.dialog.get_by_role("button", name="Empty page").click()
    await editor.shows("This page is empty. Add the first block.")
    await editor.page.reload()
    await editor.shows("This page is empty. Add the first block.")
    assert await editor.dialog.count() == 0


async def test_a_choice_made_offline_is_kept_through_a_reload(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "welcome-offline.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.dialog.wait_for()
    await editor.page.route("**/edit/changes", lambda route: route.abort())
    await editor.dialog.get_by_role("button", name="Home only").click()
    await editor.window.sees("Offline: 1 change kept")
    await editor.page.unroute("**/edit/changes")
    await editor.page.reload()
    await editor.shows("Good work, close to home")
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()
