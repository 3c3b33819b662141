"""The console as operators use it, on a desktop and on a phone: log-in with a code, invitation, sessions."""

import re

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.console import CONSOLE, go_to, log_in, log_in_admin, open_menu
from tests.browser.test_contact_form import mail_to
from tests.browser.window import Window
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.operators import code_of, in_bytes
from tests.support.service import Service

pytestmark = pytest.mark.system
PASSWORD = "a good password"


async def invite(service: Service, admin: Window, name: str) -> str:
    """Invite somebody, and return the link of the mail."""
    await go_to(admin, "Staff")
    await admin.page.get_by_label("Name", exact=True).fill(name)
    await admin.page.get_by_label("E-mail address").fill(f"{name.lower()}@brand.example")
    await admin.page.get_by_label("Role", exact=True).select_option("support")
    await admin.expect_a_page_that_fits()
    await admin.button("Send invitation").click()
    await admin.sees("The invitation is on its way.")
    mail = await eventually(lambda: mail_to(service, f"{name.lower()}@brand.example", "invited"))
    [link] = set(re.findall(r"http\S+/console/invitation\S+", mail.get_body(("plain",)).get_content()))
    return str(link)


async def test_an_invited_person_logs_in_with_a_code(service: Service, visitor: Window, window: OpenWindow) -> None:
    name = f"Kim{'Phone' if visitor.is_phone else 'Desktop'}"
    admin = await window("phone" if visitor.is_phone else "desktop")
    await log_in_admin(service, admin)
    await visitor.open(await invite(service, admin, name))
    await visitor.page.get_by_label("Password").fill(PASSWORD)
    await visitor.expect_a_page_that_fits()
    await visitor.button("Accept and log in").click()
    await visitor.page.get_by_role("heading", name="Overview").wait_for()
    await go_to(visitor, "My access")
    await visitor.link("Set up one-time codes").click()
    await visitor.button("Begin").click()
    await visitor.page.get_by_role("img", name="QR code for your authenticator app").wait_for()
    await visitor.expect_a_page_that_fits()
    secret = in_bytes(await visitor.page.locator("p code").inner_text())
    await visitor.page.get_by_label("One-time code").fill(code_of(secret, -1))
    await visitor.button("Turn one-time codes on").click()
    await visitor.sees("Keep these codes in a safe place")
    assert await visitor.page.locator(".recovery-codes li").count() == 10
    await visitor.expect_a_page_that_fits()
    await visitor.link("I have kept them").click()
    await visitor.sees("Unused recovery codes: 10")
    await open_menu(visitor)
    await visitor.page.get_by_role("button", name=re.compile("^Log out")).click()
    await visitor.page.get_by_role("heading", name="Log in to the console").wait_for()
    await log_in(visitor, f"{name.lower()}@brand.example", PASSWORD)
    await visitor.page.get_by_label("One-time code").fill(code_of(secret))
    await visitor.button("Log in").click()
    await visitor.page.get_by_role("heading", name="Overview").wait_for()
    await go_to(visitor, "Staff")
    await visitor.sees(f"{name.lower()}@brand.example")
    assert await visitor.button("Send invitation").count() == 0, "support only sees"


async def test_ends_the_session_of_another_device(service: Service, visitor: Window, window: OpenWindow) -> None:
    staff = service.demo["staff"]["viewer"]
    other = await window("desktop")
    await log_in(other, staff["username"], staff["password"])
    await other.page.get_by_role("heading", name="Overview").wait_for()
    await log_in(visitor, staff["username"], staff["password"])
    await go_to(visitor, "My access")
    await visitor.button("End all other sessions").click()
    await visitor.sees("All other sessions have ended.")
    await visitor.expect_a_page_that_fits()
    await other.open(f"{CONSOLE}/me")
    await other.page.get_by_role("heading", name="Log in to the console").wait_for()


async def test_removes_somebody_after_asking(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    name = f"Lee{'Phone' if visitor.is_phone else 'Desktop'}"
    await log_in_admin(service, visitor)
    link = await invite(service, visitor, name)
    async with http_client(service.api_url) as browser:
        secret = link.partition("h=")[2]
        form = {"h": secret, "username": name, "password": PASSWORD}
        assert (await browser.post("/console/invitation", data=form)).status_code == 303
    await visitor.open(f"{CONSOLE}/staff")
    await visitor.link(f"Remove {name}").click()
    await visitor.page.get_by_role("heading", name=f"Remove {name}?").wait_for()
    await visitor.expect_a_page_that_fits()
    await visitor.button("Remove").click()
    await visitor.sees("The person has no access any more.")
    assert await visitor.link(f"Remove {name}").count() == 0


async def test_works_without_javascript(service: Service, window: OpenWindow) -> None:
    visitor = await window("desktop", javascript=False)
    staff = service.demo["staff"]["support"]
    await log_in(visitor, staff["username"], staff["password"])
    await go_to(visitor, "My access")
    await visitor.page.get_by_label("Language of the console").select_option("de")
    await visitor.button("Save").click()
    await visitor.page.get_by_role("heading", name="Mein Zugang").wait_for()
    await visitor.page.get_by_label("Sprache der Konsole").select_option("en")
    await visitor.button("Speichern").click()
    await visitor.page.get_by_role("heading", name="My access").wait_for()


async def test_a_system_owner_chooses_the_brand(service: Service, visitor: Window) -> None:
    owner = service.demo["systemOwner"]
    await log_in(visitor, owner["username"], owner["password"])
    await visitor.page.get_by_label("Brand", exact=True).select_option("2")
    await visitor.button("Choose").click()
    await go_to(visitor, "Staff")
    await visitor.page.get_by_role("heading", name="Staff").wait_for()
    await visitor.sees("brand2")
    await visitor.expect_a_page_that_fits()
