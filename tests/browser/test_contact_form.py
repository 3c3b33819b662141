"""A contact message of a visitor arrives in the owner's mailbox."""

import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.support.customers import Customer, make_customer
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import Service

pytestmark = pytest.mark.system
THANKS = "We answer within a day."


def mail_to(service: Service, address: str, subject: str = "") -> EmailMessage | None:
    for path in Path(service.demo["mailDir"]).glob("*.eml"):
        mail = message_from_bytes(path.read_bytes(), policy=policy.default)
        if mail["To"] == address and subject in mail["Subject"]:
            return mail
    return None


async def make_kitchen(client: httpx.AsyncClient, host: str) -> Customer:
    customer = await make_customer(client, 1, host)
    await customer.update_profile(business="The Kitchen", email=f"cook@{host}")
    page = await customer.add_page("write", "Write to us")
    await customer.add_widget(page, "contactForm", "form", title="Book a table", thanks=THANKS)
    await customer.add_page("home", "Home")
    await customer.publish()
    return customer


async def confirm(service: Service, window: OpenWindow, address: str, screen: str) -> None:
    """Follow the link that was mailed to the address, and press the button of its page."""
    mail = await eventually(lambda: mail_to(service, address, "confirm"))
    [link] = re.findall(r"http\S+/verify-email\S+", mail.get_body(("plain",)).get_content())
    holder = await window(screen)
    await holder.open(link)
    await holder.button("Confirm address").click()
    await holder.sees("The address is confirmed")


@pytest.mark.parametrize("screen", ["phone", "desktop"])
async def test_a_confirmed_address_gets_messages(
    service: Service, client: httpx.AsyncClient, window: OpenWindow, screen: str
) -> None:
    host = f"{screen}-diner.example"
    await make_kitchen(client, host)
    await confirm(service, window, f"cook@{host}", screen)
    form = {"name": "Bea", "email": "bea@mail.example", "message": "Hello", "page": "/write", "website": ""}
    url = f"{service.demo['siteUrl']}/_site/contact"
    async with http_client() as visitor:
        assert (await visitor.post(url, data=form, headers={"Host": host})).status_code == 303
    assert await eventually(lambda: mail_to(service, f"cook@{host}", "message"))


async def test_a_message_arrives(service: Service, client: httpx.AsyncClient, window: OpenWindow) -> None:
    """The profile's address is not confirmed, so the message goes to the account holder's own address."""
    await make_kitchen(client, "kitchen.example")
    visitor = await window("phone")
    await visitor.open("http://kitchen.example/write")
    assert await visitor.boxes(".sent") == []
    await visitor.page.get_by_label("Your name").fill("Bea Example")
    await visitor.page.get_by_label("Your e-mail address").fill("bea@mail.example")
    await visitor.page.get_by_label("Your message").fill("A table for six\non Friday, <b>please</b>")
    await visitor.button("Send").click()
    await visitor.sees(THANKS)
    assert visitor.page.url.startswith("http://kitchen.example/write?sent=1")
    mail = await eventually(lambda: mail_to(service, "owner@kitchen.example", "message"))
    lines = [line.lstrip("> ") for line in mail.get_body(("plain",)).get_content().splitlines()]
    assert {"A table for six", "on Friday, <b>please</b>"} < set(lines)
    assert mail["Reply-To"] == "bea@mail.example"


async def test_a_form_that_is_not_filled_in_is_not_sent(client: httpx.AsyncClient, window: OpenWindow) -> None:
    await make_kitchen(client, "empty.example")
    visitor = await window()
    await visitor.open("http://empty.example/write")
    await visitor.page.get_by_label("Your name").fill("Bea Example")
    await visitor.page.get_by_label("Your e-mail address").fill("nonsense")
    await visitor.button("Send").click()
    assert await visitor.page.locator(":invalid").count() > 0
    assert visitor.page.url == "http://empty.example/write"


async def test_the_honeypot_field_is_neither_visible_nor_focusable(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    await make_kitchen(client, "trap.example")
    visitor = await window()
    await visitor.open("http://trap.example/write")
    [trap] = await visitor.boxes("input[name=website]")
    assert trap.x + trap.width < 0
    await visitor.tab_to(visitor.page.get_by_label("Your message"))
    await visitor.page.keyboard.press("Tab")
    assert await visitor.page.evaluate("document.activeElement.textContent.trim()") == "Send"


async def test_an_invalid_form_keeps_what_was_typed_in_the_site_s_design(
    client: httpx.AsyncClient, window: OpenWindow
) -> None:
    """A name of spaces passes the browser's own checks."""
    await make_kitchen(client, "typed.example")
    visitor = await window("phone", javascript=False)
    await visitor.open("http://typed.example/write")
    await visitor.page.get_by_label("Your name").fill("   ")
    await visitor.page.get_by_label("Your e-mail address").fill("bea@mail.example")
    await visitor.page.get_by_label("Your message").fill("A table for six\non Friday")
    await visitor.button("Send").click()
    await visitor.sees("Your message was not sent.")
    visitor.expect_failure("/_site/contact")
    await visitor.sees("Tell us your name, in 150 characters at the most.")
    assert await visitor.page.get_by_label("Your message").input_value() == "A table for six\non Friday"
    assert await visitor.page.get_by_label("Your name").get_attribute("aria-invalid") == "true"
    await visitor.sees("The Kitchen")
    await visitor.page.get_by_label("Your name").fill("Bea")
    await visitor.button("Send").click()
    await visitor.sees(THANKS)
