"""Nothing typed is lost: offline, 503, an expired session, a reload, two windows, and a browser that stores nothing."""

import httpx
import pytest
from playwright.async_api import Route

from tests.browser.conftest import OpenWindow
from tests.browser.editor.editing import SERVICE, EditorWindow, eventually_stored, widget_values
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually

pytestmark = pytest.mark.system
FAILING_STORES = {
    "aborted": """() => {
        for (const name of ["put", "delete"]) {
            const write = IDBObjectStore.prototype[name];
            IDBObjectStore.prototype[name] = function (value) { write.call(this, value); this.transaction.abort(); };
        }
    }""",
    "closed": """() => {
        IDBDatabase.prototype.transaction = () => { throw new DOMException("closed", "InvalidStateError"); };
    }""",
}
"""What happens to IndexedDB when the disk is full, or when the browser closes the connection."""
FULL_FOR_LARGE_CHANGES = """() => {
    const put = IDBObjectStore.prototype.put;
    window.stored = 0;
    IDBObjectStore.prototype.put = function (value) {
        put.call(this, value);
        if (JSON.stringify(value).length > 2000) this.transaction.abort();
        else this.transaction.addEventListener("complete", () => { window.stored += 1; });
    };
}"""


async def make_site(client: httpx.AsyncClient, host: str) -> Customer:
    customer = await make_customer(client, 1, host)
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="First")
    return customer


async def test_typing_offline_is_sent_later(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "offline-editing.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    await editor.page.context.set_offline(True)
    await editor.insert("First", "Written offline")
    await editor.window.sees("Offline: 1 change kept")
    await editor.page.keyboard.insert_text(", and more")  # the first one may have arrived: this is another change
    await editor.window.sees("Offline: 2 changes kept")
    await editor.page.context.set_offline(False)
    await editor.is_saved()
    await eventually_stored(client, customer, text="Written offline, and more")
    editor.window.faults.clear()


async def test_a_reload_keeps_what_was_not_sent(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "reloading.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    unavailable = {"isOn": True}

    async def refuse(route: Route) -> None:
        if unavailable["isOn"] and route.request.method == "POST":
            await route.fulfill(status=503, json={"code": "unavailable", "detail": ""})
        else:
            await route.continue_()

    await editor.page.route("**/edit/changes", refuse)
    await editor.write("First", "Kept through a reload")
    await editor.state("unavailable")
    await editor.page.reload()
    await editor.state("unavailable")
    unavailable["isOn"] = False
    await editor.is_saved()
    await eventually_stored(client, customer, text="Kept through a reload")
    await editor.shows("Kept through a reload")
    editor.window.faults.clear()


@pytest.mark.parametrize("failure", [None, *FAILING_STORES])
async def test_leaving_warns_only_of_changes_that_would_be_lost(
    client: httpx.AsyncClient, window: OpenWindow, failure: str | None
) -> None:
    customer = await make_site(client, f"leaving-{failure or 'stored'}.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    if failure is not None:
        await editor.page.evaluate(FAILING_STORES[failure])
    await editor.page.route("**/edit/changes", lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
    await editor.write("First", "Not sent yet")
    await editor.state("unavailable")
    leaving = "dialog" if failure is not None else "close"
    async with editor.page.expect_event(leaving) as event:
        await editor.page.close(run_before_unload=True)
    if failure is not None:
        dialog = await event.value
        assert dialog.type == "beforeunload"
        await dialog.accept()
    editor.window.faults.clear()


async def test_a_small_change_that_is_stored_does_not_hide_a_large_one_that_is_not(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    customer = await make_customer(client, 1, "large-and-small.example")
    page = await customer.add_page("home", "Home")
    await customer.add_widget(page, "heading", "first", text="First")
    await customer.add_widget(page, "heading", "second", text="Second")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("Second")
    await editor.page.evaluate(FULL_FOR_LARGE_CHANGES)
    await editor.page.route("**/edit/changes", lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
    await editor.insert("First", "Large " * 500)
    await editor.state("unavailable")
    await editor.insert("Second", "Small")

    async def has_stored() -> bool:
        return bool(await editor.page.evaluate("window.stored > 0"))

    await eventually(has_stored)
    async with editor.page.expect_event("dialog") as event:
        await editor.page.close(run_before_unload=True)
    await (await event.value).accept()
    editor.window.faults.clear()


async def test_an_expired_session_asks_to_log_in_and_goes_on(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "expired.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    await editor.page.context.clear_cookies()
    await editor.write("First", "Written while logged out")
    await editor.window.sees("Please log in again")
    other = await editor.page.context.new_page()
    response = await client.post(f"/users/{customer.user_ref}/auto-login", json={"siteRef": customer.site["ref"]})
    await other.goto(f"{SERVICE}/login?hash={response.json()['hash']}&r=/account")
    await other.close()
    await editor.button("I have logged in: go on").click()
    await editor.is_saved()
    await eventually_stored(client, customer, text="Written while logged out")
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()


@pytest.mark.parametrize("failure", FAILING_STORES)
async def test_what_the_browser_cannot_store_is_saved_and_published(
    client: httpx.AsyncClient, window: OpenWindow, failure: str
) -> None:
    customer = await make_site(client, f"{failure}-storage.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    await editor.insert("First", "Typed before")
    await eventually_stored(client, customer, text="Typed before")
    await editor.is_saved()
    await editor.page.evaluate(FAILING_STORES[failure])
    await editor.page.keyboard.insert_text(" and after")
    await eventually_stored(client, customer, text="Typed before and after")
    await editor.is_saved()
    await editor.tool("Business")
    async with editor.page.expect_response("**/edit/details"):
        await editor.panel.get_by_label("Name of the business").fill("Dr. Dora Dent")
    await editor.is_saved()
    await editor.button("Publish").click()
    await editor.button("Publish now").wait_for()


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("takes_over", [True, False])
async def test_two_windows_do_not_overwrite_each_other(
    client: httpx.AsyncClient, window: OpenWindow, *, takes_over: bool, is_stored: bool
) -> None:
    customer = await make_site(client, f"two-windows-{takes_over}-{is_stored}.example".lower())
    one = await EditorWindow.open(await window(), customer)
    await one.shows("First")
    if not is_stored:
        await one.page.evaluate(FAILING_STORES["closed"])
    [ref] = [each["ref"] for each in (await client.get(f"{customer.path}/widgets")).json()["widgets"]]
    await customer.set_values(ref, text="Theirs")
    await one.write("First", "Mine")
    await one.window.sees("Somebody else changed this")
    assert (await widget_values(client, customer))[0]["text"] == "Theirs"
    assert await one.dialog.get_by_label("What you typed").input_value() == "Mine"
    await one.button("Take over: use mine" if takes_over else "Copy my text, keep theirs").click()
    await one.is_saved()
    if takes_over:
        await eventually_stored(client, customer, text="Mine")
    else:
        await one.shows("Theirs")
    one.window.faults.clear()


async def test_a_refusal_returns_everything_that_was_typed(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "refused.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    [ref] = [each["ref"] for each in (await done(client.get(f"{customer.path}/widgets")))["widgets"]]
    await editor.page.route("**/edit/changes", lambda route: route.abort())
    await editor.insert("First", "Typed before")
    await editor.state("offline")
    await editor.page.keyboard.insert_text(" and after")
    await editor.window.sees("Offline: 2 changes kept")
    await done(client.delete(f"{customer.path}/widgets/{ref}"))
    await editor.page.unroute("**/edit/changes")
    await editor.window.sees("This block was deleted in the meantime.")
    assert await editor.dialog.get_by_label("What you typed").input_value() == "Typed before and after"
    await editor.dialog.get_by_role("button", name="Close").click()
    await editor.is_saved()
    assert await editor.dialog.count() == 0
    editor.window.faults.clear()


async def test_no_key_decides_what_was_typed_during_a_conflict(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_site(client, "typing-on.example")
    editor = await EditorWindow.open(await window(), customer)
    await editor.shows("First")
    [ref] = [each["ref"] for each in (await done(client.get(f"{customer.path}/widgets")))["widgets"]]
    await customer.set_values(ref, text="Theirs")
    await editor.insert("First", "Mine")
    await editor.window.sees("Somebody else changed this")
    for key in ("Space", "Enter", "Escape", "Escape", "Escape"):
        await editor.page.keyboard.press(key)
    assert await editor.dialog.get_by_label("What you typed").input_value() == "Mine"
    assert await editor.dialog.get_attribute("closedby") == "none"
    assert await editor.page.evaluate("document.activeElement.textContent") == "Somebody else changed this"
    await editor.button("Take over: use mine").click()
    await eventually_stored(client, customer, text="Mine")
    editor.window.faults.clear()
