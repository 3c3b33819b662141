"""The account pages: log-in by hash, template picker with preview, publishing."""

import httpx
import pytest
from playwright.async_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import Customer, done, make_customer

pytestmark = pytest.mark.system
SERVICE = f"http://{SERVICE_HOST}"


async def make_shop(client: httpx.AsyncClient, host: str) -> Customer:
    """A site of one page that was never published."""
    customer = await make_customer(client, 1, host)
    await customer.update_profile(business="Penny & Pear", headline="Good things for small homes")
    await customer.add_page("home", "Home")
    return customer


async def hash_for(customer: Customer) -> str:
    response = await done(
        customer.client.post(f"/users/{customer.user_ref}/auto-login", json={"siteRef": customer.site["ref"]})
    )
    text: str = response["hash"]
    return text


async def enter_picker(holder: Window, customer: Customer) -> None:
    """The picker's URL as in the specification."""
    target = f"/template-picker/?siteRef={customer.site['ref']}"
    await holder.open(f"{SERVICE}/login?hash={await hash_for(customer)}&r={target}")
    assert holder.page.url == SERVICE + target


async def test_picks_a_template_and_publishes(client: httpx.AsyncClient, visitor: Window) -> None:
    customer = await make_shop(client, f"pear-{'phone' if visitor.is_phone else 'desktop'}.example")
    await enter_picker(visitor, customer)
    await visitor.expect_a_page_that_fits()
    await visitor.link("Shops").click()
    await visitor.link("Preview of Corner Shop").click()
    preview = visitor.page.frame_locator("iframe").get_by_role("heading", name="Good things for small homes")
    await preview.wait_for(state="visible")
    await visitor.expect_a_page_that_fits()
    await visitor.page.locator("#preview").get_by_role("button", name="Choose Corner Shop").click()
    await visitor.sees("The template is chosen. Publish the website to show it in its new look.")
    await visitor.expect_a_page_that_fits()
    await visitor.button("Publish").click()
    await visitor.sees("Your website is published.")
    await visitor.sees("Online")
    assert visitor.hosts == {SERVICE_HOST}
    await visitor.link(customer.host).click()
    await visitor.sees("Good things for small homes")
    assert visitor.page.url == f"http://{customer.host}/"
    await visitor.expect_design("corner-shop")


async def press(holder: Window, target: Locator) -> None:
    await holder.tab_to(target)
    await holder.page.keyboard.press("Enter")


async def test_picks_a_template_and_publishes_by_keyboard_alone(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer, holder = await make_shop(client, "keys.example"), await window()
    await enter_picker(holder, customer)
    await press(holder, holder.link("Shops"))
    await press(holder, holder.link("Preview of Corner Shop"))
    await press(holder, holder.page.locator("#preview").get_by_role("button", name="Choose Corner Shop"))
    await holder.sees("The template is chosen. Publish the website to show it in its new look.")
    await press(holder, holder.button("Publish"))
    await holder.sees("Your website is published.")
    await press(holder, holder.link(customer.host))
    await holder.sees("Good things for small homes")
    await press(holder, holder.link("Skip to content"))
    assert await holder.page.evaluate("document.activeElement.id") == "main"


async def test_takes_the_site_offline_and_brings_it_back(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer, holder, visitor = await make_shop(client, "pause.example"), await window(), await window()
    await customer.publish()
    await holder.open(f"http://pause.example/?hash={await hash_for(customer)}")
    assert holder.page.url == f"{SERVICE}/account/sites/{customer.site['ref']}"
    await holder.button("Take offline").click()
    await holder.sees("Your website is offline now. Visitors are told that it will be back.")
    await visitor.open("http://pause.example/", status=503)
    await visitor.sees("This website is offline")
    await holder.button("Bring back online").click()
    await holder.sees("Your website is online again.")
    await visitor.open("http://pause.example/")
    await visitor.sees("Good things for small homes")


async def test_business_details_show_once_they_are_published(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer, holder = await make_shop(client, "details.example"), await window("phone")
    await holder.open(f"{SERVICE}/login?hash={await hash_for(customer)}")
    await holder.page.get_by_label("Headline").fill("Small things for good homes")
    await holder.button("Save").click()
    await holder.sees("Your business details are saved.")
    await holder.button("Publish").click()
    await holder.sees("Your website is published.")
    await holder.open("http://details.example/")
    await holder.sees("Small things for good homes")


async def test_logs_out(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer, holder = await make_shop(client, "leaving.example"), await window()
    login = f"{SERVICE}/login?hash={await hash_for(customer)}"
    await holder.open(login)
    own_page = holder.page.url
    await holder.button("Log out").click()
    await holder.page.wait_for_url(f"{SERVICE}/login**")  # leaving before it is loaded would cancel it
    await holder.open(own_page)
    assert holder.page.url.startswith(f"{SERVICE}/login")
    await holder.open(login, status=400)
    await holder.sees("This log-in link no longer works")
    await holder.open(f"{SERVICE}/login")
    await holder.page.get_by_label("User name").fill("leaving.example")
    await holder.page.get_by_label("Password").fill("correct horse")
    await holder.button("Log in").click()
    await holder.sees("Hello, Ann Example")
    await holder.link("Penny & Pear").click()
    await holder.page.wait_for_url(own_page)
