"""Resellers in the console: create one, keep its credentials, change it and its prices, delete it."""

import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.console import go_to, log_in_admin
from tests.browser.window import Window
from tests.support.service import Service

pytestmark = pytest.mark.system


async def test_a_reseller_from_creation_to_deletion(service: Service, visitor: Window) -> None:
    name = f"Studio {'phone' if visitor.is_phone else 'desktop'}"
    await log_in_admin(service, visitor)
    await go_to(visitor, "Resellers")
    await visitor.link("New reseller").click()
    await visitor.page.get_by_label("Your name for it").fill(name)
    await visitor.page.get_by_label("Name for customers").fill("Corner Web Studio")
    await visitor.page.get_by_label("Help page").fill("ftp://studio.example/")
    await expect_accessible(visitor)
    await visitor.button("Create reseller").click()
    await visitor.page.get_by_text("Please enter a complete address").wait_for()
    visitor.expect_failure("/console/resellers/new")
    await expect_accessible(visitor)
    await visitor.page.get_by_label("Help page").fill("")
    await visitor.button("Create reseller").click()
    await visitor.page.get_by_role("heading", name="The reseller is created").wait_for()
    assert await visitor.page.locator("dd code").count() == 4
    await expect_accessible(visitor)
    await visitor.link("I have kept them").click()
    await visitor.page.get_by_role("heading", name=name).wait_for()
    await change(visitor)
    await change_prices(visitor)
    await visitor.link("Delete").click()
    await visitor.page.get_by_role("heading", name=f"Delete {name}?").wait_for()
    await expect_accessible(visitor)
    await visitor.button("Delete").click()
    await visitor.sees("The reseller is deleted.")
    await expect_accessible(visitor)


async def change(visitor: Window) -> None:
    await visitor.link("Edit details").click()
    await visitor.page.get_by_label("Most customers at once").fill("25")
    await visitor.page.get_by_label("Access to the API").select_option("0")
    await expect_accessible(visitor)
    await visitor.button("Save").click()
    await visitor.sees("The details are saved.")
    await visitor.sees("Access disabled")
    await expect_accessible(visitor)


async def change_prices(visitor: Window) -> None:
    await visitor.link("New price").click()
    await visitor.page.get_by_label("Price", exact=True).fill("12.50")
    await expect_accessible(visitor)
    await visitor.button("Save").click()
    await visitor.sees("The price is saved.")
    await expect_accessible(visitor)
    await visitor.page.get_by_role("link", name="Change the price of").click()
    await visitor.page.get_by_label("Offer", exact=True).fill("9")
    await expect_accessible(visitor)
    await visitor.button("Save").click()
    await visitor.sees("The price is saved.")
    await visitor.page.get_by_role("link", name="Change the price of").click()
    await visitor.link("Delete this price").click()
    await expect_accessible(visitor)
    await visitor.button("Delete").click()
    await visitor.sees("The price is deleted.")
