"""The account holder's own pages as people use them: profile, messages, passwords and the request for deletion."""

import re

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.test_contact_form import mail_to
from tests.browser.test_workspace import log_in_link, make_newcomer
from tests.browser.window import Window
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import make_customer
from tests.support.eventually import eventually
from tests.support.own_pages import add_message, offer_deletion
from tests.support.service import Service

pytestmark = pytest.mark.system
SERVICE = f"http://{SERVICE_HOST}"
PASSWORD, NEW_PASSWORD = "correct horse", "battery staple"  # the first one is that of `new_user`

SUBJECTS = {"/verify-email": "confirm", "/reset-password": "password"}
"""Words in the subjects of the mails with these links."""


def name_of(visitor: Window, what: str) -> str:
    return f"{what}-{'phone' if visitor.is_phone else 'desktop'}"


async def mailed_link(service: Service, address: str, path: str) -> str:
    mail = await eventually(lambda: mail_to(service, address, SUBJECTS[path]))
    [link] = set(re.findall(rf"http\S+{path}\S+", mail.get_body(("plain",)).get_content()))
    return str(link)


async def log_in(visitor: Window, name: str, password: str) -> None:
    await visitor.open(f"{SERVICE}/login?brandRef=1&r=/account/profile")
    await visitor.page.get_by_label("User name").fill(name)
    await visitor.page.get_by_label("Password").fill(password)
    await visitor.button("Log in").click()


async def test_changes_details_and_language(client: httpx.AsyncClient, visitor: Window) -> None:
    await visitor.open(await make_newcomer(client, name_of(visitor, "details")))
    await visitor.link("Profile").click()
    await visitor.page.get_by_label("First name").fill("Annabel")
    await visitor.page.get_by_label("Street and number").fill("1 High Street")
    await visitor.page.get_by_label("Telephone").fill("call me")
    await visitor.button("Save").click()
    await visitor.sees("Please enter a telephone number, like +44 20 7946 0000.")
    visitor.expect_failure("/account/profile/details")
    field = visitor.page.get_by_label("Telephone")
    assert (await field.input_value(), await field.get_attribute("aria-invalid")) == ("call me", "true")
    await field.fill("+44 20 7946 0000")
    await visitor.page.get_by_label("Language of these pages").select_option("de")
    await visitor.expect_a_page_that_fits()
    await visitor.button("Save").click()
    await visitor.page.get_by_role("heading", name="Ihr Profil").wait_for()
    assert await visitor.page.get_by_label("Vorname").input_value() == "Annabel"
    assert await visitor.page.locator("html").get_attribute("lang") == "de"
    await visitor.expect_a_page_that_fits()


async def test_changes_the_email_with_the_mailed_link(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    name = name_of(visitor, "moving")
    await visitor.open(await make_newcomer(client, name))
    await visitor.link("Profile").click()
    await visitor.page.get_by_label("New e-mail address").fill(f"new-{name}@mail.example")
    await visitor.button("Change address").click()
    await visitor.sees(
        "We have mailed a link to the new address. It replaces the old one as soon as you have followed the link."
    )
    await visitor.sees(f"{name}@mail.example")
    await visitor.open(await mailed_link(service, f"new-{name}@mail.example", "/verify-email"))
    await visitor.expect_a_page_that_fits()
    await visitor.button("Confirm address").click()
    await visitor.sees("The address is confirmed")
    await visitor.open(f"{SERVICE}/account/profile")
    await visitor.sees(f"new-{name}@mail.example")
    await visitor.sees("Confirmed")


async def test_changes_the_password_and_logs_out_everywhere(
    client: httpx.AsyncClient, visitor: Window, window: OpenWindow
) -> None:
    name, other = name_of(visitor, "careful"), await window()
    await make_newcomer(client, name)
    await log_in(other, name, PASSWORD)
    await log_in(visitor, name, PASSWORD)
    await visitor.page.get_by_label("Current password").fill("wrong")
    await visitor.page.get_by_label("New password").fill(NEW_PASSWORD)
    await visitor.button("Change password").click()
    await visitor.sees("This is not your current password.")
    visitor.expect_failure("/account/profile/password")
    await visitor.page.get_by_label("Current password").fill(PASSWORD)
    await visitor.page.get_by_label("New password").fill(NEW_PASSWORD)
    await visitor.button("Change password").click()
    await visitor.sees("Your password is changed. All other devices are logged out.")
    await other.page.reload()
    await other.page.get_by_role("heading", name="Log in").wait_for()
    await log_in(other, name, NEW_PASSWORD)
    await visitor.button("Log out everywhere").click()
    await visitor.page.get_by_role("heading", name="Log in").wait_for()
    await other.page.reload()
    await other.page.get_by_role("heading", name="Log in").wait_for()


async def test_reads_answers_and_deletes_a_message(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    customer = await make_customer(client, 1, f"{name_of(visitor, 'asked')}.example")
    await add_message(service, customer.site["ref"])
    await visitor.open(await log_in_link(customer, "/account"))
    await visitor.link("Messages (1 unread)").click()
    await visitor.expect_a_page_that_fits()
    await visitor.button("Bo Visitor").click()
    await visitor.page.get_by_text("when are you open on Sundays?").wait_for()
    await visitor.link("Messages").wait_for()
    await visitor.page.get_by_label("Your reply").fill("Hello Bo,\nfrom ten to two.")
    await visitor.button("Send reply").click()
    await visitor.sees("Your reply is on its way.")
    await visitor.page.get_by_text("from ten to two.").wait_for()
    await visitor.expect_a_page_that_fits()
    mail = await eventually(lambda: mail_to(service, "bo@visitor.example", customer.host))
    assert "from ten to two." in mail.get_body(("plain",)).get_content()
    await visitor.link("Delete …").click()
    await visitor.sees("The message and your replies to it are deleted permanently.")
    await visitor.button("Delete message").click()
    await visitor.sees("The message is deleted.")
    await visitor.sees("No messages yet")


async def test_a_forgotten_password_is_replaced(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    name = name_of(visitor, "forgetful")
    await make_newcomer(client, name)
    await visitor.open(f"{SERVICE}/login?brandRef=1")
    await visitor.link("Forgotten your password?").click()
    await visitor.expect_a_page_that_fits()
    await visitor.page.get_by_label("User name or e-mail address").fill(name)
    await visitor.button("Send the link").click()
    await visitor.page.get_by_role("heading", name="Check your mailbox").wait_for()
    link = await mailed_link(service, f"{name}@mail.example", "/reset-password")
    await visitor.open(link)
    await visitor.expect_a_page_that_fits()
    await visitor.page.get_by_label("New password").fill(NEW_PASSWORD)
    await visitor.button("Save the password").click()
    await visitor.page.get_by_role("heading", name="Your password is changed").wait_for()
    await visitor.open(link, 400)
    await visitor.page.get_by_role("heading", name="This link no longer works").wait_for()
    await log_in(visitor, name, NEW_PASSWORD)
    await visitor.page.get_by_role("heading", name="Your profile").wait_for()


async def test_requests_the_deletion_after_reading_what_is_lost(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    await offer_deletion(service)
    name = name_of(visitor, "leaving")
    customer = await make_customer(client, 1, f"{name}.example")
    await visitor.open(await log_in_link(customer, "/account/profile"))
    await visitor.link("Request deletion …").click()
    await visitor.sees(f"Your websites go offline and are deleted: {name}.example")
    await visitor.expect_a_page_that_fits()
    await visitor.button("Request deletion").click()
    await visitor.sees("We have received your request, and will delete your account soon.")
    await visitor.page.get_by_text("You asked for the deletion on").wait_for()
    assert await visitor.link("Request deletion …").count() == 0
