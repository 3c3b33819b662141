"""The account workspace as a new account holder uses it: from an empty account to a published site with a domain."""

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import Customer, done, make_customer, new_user

pytestmark = pytest.mark.system
SERVICE = f"http://{SERVICE_HOST}"


async def make_newcomer(client: httpx.AsyncClient, name: str, **changes: str) -> str:
    """A log-in link of a user without sites."""
    body = new_user(username=name, email=f"{name}@mail.example", **changes)
    user_ref = (await done(client.post("/users", json=body)))["accountHolder"]["ref"]
    secret = (await done(client.post(f"/users/{user_ref}/auto-login", json={})))["hash"]
    return f"{SERVICE}/login?hash={secret}&r=/account"


async def test_from_an_empty_account_to_a_site_with_a_domain(client: httpx.AsyncClient, visitor: Window) -> None:
    name = "newcomer-phone" if visitor.is_phone else "newcomer-desktop"
    await visitor.open(await make_newcomer(client, name))
    await visitor.sees("You have no website yet")
    await visitor.link("Create a website").click()
    await visitor.page.get_by_label("Name", exact=True).fill("Penny & Pear")
    await visitor.page.get_by_role("radio", name="Corner Shop").check()
    await visitor.page.get_by_label("Address below northwind.example").fill(name)
    await visitor.expect_a_page_that_fits()
    await visitor.button("Create a website").click()
    await visitor.sees("Your website is created. Publish it when you are ready.")
    await visitor.link("Write").click()
    await visitor.page.get_by_label("Title").fill("Home")
    await visitor.page.get_by_label("Text", exact=True).fill("Good things for small homes.")
    await visitor.button("Save").click()
    await visitor.sees("Your first page is saved. Publish the website to show it.")
    await visitor.button("Publish").click()
    await visitor.sees("Your website is published.")
    await visitor.link("Connect a domain").click()
    await visitor.page.get_by_label("Your own domain").fill(f"{name}.example")
    await visitor.expect_a_page_that_fits()
    await visitor.button("Connect").click()
    await visitor.sees("The domain is connected. Now enter its DNS records.")
    await visitor.sees("127.0.0.1")
    await visitor.link("Overview").click()
    assert await visitor.page.get_by_text("First steps").count() == 0
    thumbnail = visitor.page.frame_locator("iframe").get_by_text("Good things for small homes.")
    await thumbnail.wait_for(state="visible")
    await visitor.expect_a_page_that_fits()
    await visitor.open(f"http://{name}.example/")
    await visitor.sees("Good things for small homes.")


@pytest.mark.parametrize("width", [320, 390, 1440])
async def test_the_navigation_is_one_line_in_each_language_of_the_brand(
    client: httpx.AsyncClient, window: OpenWindow, width: int
) -> None:
    for language in ("en", "de", "es"):
        holder = await window("phone")
        await holder.page.set_viewport_size({"width": width, "height": 800})
        await holder.open(await make_newcomer(client, f"line-{language}-{width}", languageCode=language))
        assert await holder.page.locator("html").get_attribute("lang") == language
        boxes = await holder.boxes(".account-nav a")
        assert len({each.y for each in boxes}) == 1
        assert max(each.x + each.width for each in boxes) <= width
        assert min(each.height for each in boxes) >= 44


async def test_disconnects_a_domain_only_after_a_confirmation(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer, holder = await make_customer(client, 1, "parting.example"), await window()
    await holder.open(await log_in_link(customer))
    await holder.link("Disconnect parting.example").click()
    await holder.sees(
        "Visitors of parting.example will no longer see parting.example, and its certificate is removed."
        " The website and its other addresses stay."
    )
    await holder.link("Cancel").click()
    assert not await holder.page.get_by_role("dialog").is_visible()
    await holder.link("Disconnect parting.example").click()
    await holder.page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
    await holder.sees("The domain is disconnected.")
    await holder.sees("No address leads to this website yet.")


async def test_a_limit_of_the_package_leads_to_the_package_page(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer, holder = await make_customer(client, 1, "first-of-two.example"), await window("phone")
    await customer.publish()
    body = {"accountHolderRef": customer.user_ref, "brandRef": 1, "domain": "second-of-two.example"}
    await done(client.post("/sites", json=body))
    await holder.open(await log_in_link(customer, "/account"))
    await (
        holder.page.get_by_role("listitem")
        .filter(has_text="second-of-two.example")
        .get_by_role("button", name="Publish")
        .click()
    )
    await holder.sees(
        "Websites online: your package allows 1, and you have 1. Take another one offline, or choose a higher package."
    )
    holder.faults.clear()  # Chromium reports the status 403
    await holder.link("Package and charges").click()
    await holder.sees("1 of 1 used")
    await holder.sees("support@northwind.example")


async def log_in_link(customer: Customer, target: str = "/account/domains") -> str:
    body = {"siteRef": customer.site["ref"]}
    secret = (await done(customer.client.post(f"/users/{customer.user_ref}/auto-login", json=body)))["hash"]
    return f"{SERVICE}/login?hash={secret}&r={target}"
