"""Changes whose responses were lost: what is typed meanwhile is saved, once, and nobody is overwritten silently."""

import os
import signal
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Route

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import EditorWindow, eventually_stored, widget_values
from tests.chaos.stage import postmaster_of
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import Customer, make_customer
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import Service

pytestmark = pytest.mark.system


async def open_editor(client: httpx.AsyncClient, window: OpenWindow, host: str) -> tuple[EditorWindow, Customer, int]:
    customer = await make_customer(client, 1, host)
    page = await customer.add_page("home", "Home")
    ref = await customer.add_widget(page, "heading", "first", text="First")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    return editor, customer, ref


class LostResponses:
    """The service makes the changes, but the browser does not get the responses."""

    def __init__(self, service: Service) -> None:
        self.url = service.api_url
        self.is_lost = True

    async def handle(self, route: Route) -> None:
        if self.is_lost and route.request.method == "POST":
            request = route.request
            headers = await request.all_headers() | {"host": SERVICE_HOST}
            names = ("cookie", "content-type", "x-form-token", "origin", "host")
            sent = {name: headers[name] for name in names}
            async with http_client(self.url) as client:
                path = urlsplit(request.url).path
                assert (await client.post(path, content=request.post_data, headers=sent)).status_code == 200
            await route.abort()
        else:
            await route.continue_()


async def test_what_is_typed_after_a_lost_response_is_saved(
    client: httpx.AsyncClient, window: OpenWindow, service: Service
) -> None:
    editor, customer, _ = await open_editor(client, window, "lost-response.example")
    lost = LostResponses(service)
    await editor.page.route("**/edit/changes", lost.handle)
    await editor.write("First", "Typed before")
    await editor.state("offline")
    await editor.page.keyboard.type(" and after")
    await eventually_waiting(editor, 2)
    lost.is_lost = False
    await editor.is_saved()
    await eventually_stored(client, customer, text="Typed before and after")
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()


async def eventually_waiting(editor: EditorWindow, count: int) -> None:
    await editor.page.get_by_text(f"Offline: {count} changes kept").wait_for(state="attached")


async def test_what_is_typed_after_an_undo_that_still_waits_is_saved(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    editor, customer, _ = await open_editor(client, window, "waiting-undo.example")
    await editor.insert("First", "Second")
    await eventually_stored(client, customer, text="Second")
    await editor.is_saved()
    await editor.page.route("**/edit/changes/undo", lambda route: route.abort())
    await editor.button("Undo").click()
    await editor.state("offline")
    await editor.insert("Second", "Third")
    await eventually_waiting(editor, 2)
    await editor.page.unroute("**/edit/changes/undo")
    await editor.is_saved()
    await eventually_stored(client, customer, text="Third")
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()


async def test_a_change_by_somebody_else_after_a_lost_response_is_reported(
    client: httpx.AsyncClient, window: OpenWindow, service: Service
) -> None:
    editor, customer, ref = await open_editor(client, window, "lost-conflict.example")
    lost = LostResponses(service)
    await editor.page.route("**/edit/changes", lost.handle)
    await editor.write("First", "Mine")
    await editor.state("offline")
    await customer.set_values(ref, text="Theirs")
    await editor.page.keyboard.type(" and more")
    await eventually_waiting(editor, 2)
    lost.is_lost = False
    await editor.window.sees("Somebody else changed this")
    assert (await widget_values(client, customer))[0]["text"] == "Theirs"
    assert await editor.dialog.get_by_label("What you typed").input_value() == "Mine and more"
    await editor.button("Take over: use mine").click()
    await editor.is_saved()
    await eventually_stored(client, customer, text="Mine and more")
    editor.window.faults.clear()


async def test_a_killed_database_loses_nothing_that_is_typed(
    client: httpx.AsyncClient, window: OpenWindow, service: Service
) -> None:
    editor, customer, _ = await open_editor(client, window, "killed-database.example")
    await editor.write("First", "Typed before")
    postmaster = postmaster_of(service)
    os.kill(postmaster, signal.SIGKILL)
    await editor.page.keyboard.type(", during")
    await eventually(lambda: postmaster not in service.children())
    await editor.page.keyboard.type(" and after the kill")
    await eventually(service.is_ready)
    await editor.is_saved()
    await eventually_stored(client, customer, text="Typed before, during and after the kill")
    await editor.page.reload()
    await editor.shows("Typed before, during and after the kill")
    assert [each["text"] for each in await widget_values(client, customer)] == [
        "Typed before, during and after the kill"
    ]
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()
