"""Customers in the console, on a desktop and on a phone: finding one, the page, and every action."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.console import CONSOLE, log_in, log_in_admin, open_filters
from tests.browser.test_every_page import findings_of, small_targets
from tests.browser.window import Window
from tests.support.busy_customers import fill_customer
from tests.support.cast import OWN_BRAND
from tests.support.customers import done, new_user
from tests.support.eventually import eventually
from tests.support.packages import PRO, assign
from tests.support.service import Service, owner_of

pytestmark = pytest.mark.system
CUSTOMERS = f"{CONSOLE}/customers"
MADE: list[int] = []


@pytest.fixture
async def customer(client: httpx.AsyncClient, visitor: Window) -> AsyncIterator[dict[str, Any]]:
    """A new one for each test, with a name of its own."""
    MADE.append(len(MADE) + 1)
    name = f"customer{MADE[-1]}{'phone' if visitor.is_phone else 'desktop'}"
    body = new_user(username=name, firstName="Iris", lastName=name.title(), email=f"{name}@mail.example")
    yield (await done(client.post("/users", json=body)))["accountHolder"]


def address(customer: dict[str, Any]) -> str:
    return f"{CUSTOMERS}/{customer['ref']}"


def name_of(customer: dict[str, Any]) -> str:
    return f"{customer['firstName']} {customer['lastName']}"


async def expect_a_good_page(window: Window) -> None:
    await window.expect_a_page_that_fits()
    assert await findings_of(window.page) == []
    if window.is_phone:
        assert await small_targets(window.page) == []


async def heading(window: Window, name: str) -> None:
    await window.page.get_by_role("heading", name=name, exact=True, level=1).wait_for()


async def test_finds_a_customer_while_typing(service: Service, visitor: Window, customer: dict[str, Any]) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(CUSTOMERS)
    await visitor.page.get_by_label("Name, e-mail, user name").fill(f"iris {customer['username']}")
    await visitor.link(name_of(customer)).wait_for()
    await visitor.page.wait_for_url("**search=*")
    assert await visitor.page.locator("tbody tr").count() == 1
    await expect_a_good_page(visitor)
    await open_filters(visitor)
    await visitor.page.get_by_label("State").select_option("suspended")
    await visitor.sees("Nothing matches these filters")
    await visitor.page.get_by_label("State").select_option("active")
    await visitor.link(name_of(customer)).click()
    await heading(visitor, name_of(customer))


async def test_the_page_of_a_busy_customer(
    service: Service, client: httpx.AsyncClient, visitor: Window, customer: dict[str, Any]
) -> None:
    assert (await assign(client, customer["ref"], PRO, billingFrequency=12)).status_code == 200
    async with owner_of(service) as connection:
        await fill_customer(connection, OWN_BRAND, customer["ref"], customer["username"])
    await log_in_admin(service, visitor)
    await visitor.open(address(customer))
    await visitor.sees("14 messages on the customer’s sites")
    await expect_a_good_page(visitor)
    await (
        visitor.page.get_by_role("navigation", name="Sections of this page").get_by_role("link", name="History").click()
    )
    await visitor.page.wait_for_url("**#audit")
    assert await visitor.page.locator("#audit").evaluate(
        "each => each.getBoundingClientRect().top < innerHeight && each.getBoundingClientRect().top >= 0"
    )


async def test_edits_with_errors_at_the_fields(service: Service, visitor: Window, customer: dict[str, Any]) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(address(customer))
    await visitor.link("Edit").click()
    await heading(visitor, f"Edit {name_of(customer)}")
    await visitor.page.get_by_label("Company", exact=True).fill("Pear & Co")
    await visitor.page.get_by_label("E-mail address").fill("nowhere")
    await visitor.button("Save").click()
    await visitor.sees("Please enter an e-mail address, like kim@example.com.")
    visitor.expect_failure("/edit")
    assert await visitor.page.get_by_label("Company", exact=True).input_value() == "Pear & Co"
    await expect_a_good_page(visitor)
    await visitor.page.get_by_label("E-mail address").fill(customer["email"])
    await visitor.button("Save").click()
    await visitor.sees("The details were saved.")
    await visitor.sees("Pear & Co")


async def test_assigns_a_package_after_saying_what_it_costs(
    service: Service, visitor: Window, customer: dict[str, Any]
) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(address(customer))
    await visitor.link("Change package").click()
    await expect_a_good_page(visitor)
    await visitor.link("Starter, $49.00 yearly").click()
    await heading(visitor, "Subscribe to Starter?")
    await visitor.sees("$49.00")
    await expect_a_good_page(visitor)
    await visitor.button("Assign package").click()
    await visitor.sees("The package was assigned.")
    await visitor.sees("Paying")
    await visitor.link("Change package").click()
    await visitor.button("Let Starter end with its period").click()
    await visitor.sees("The package ends with its period.")
    await visitor.link("Change package").click()
    await visitor.link("Free, Free").click()
    await heading(visitor, "Cancel and move to Free?")
    await visitor.button("Assign package").click()
    await visitor.sees("The package was assigned.")


async def test_suspends_with_a_reason_and_mails_a_password(
    service: Service, visitor: Window, customer: dict[str, Any]
) -> None:
    staff = service.demo["staff"]["support"]
    await log_in(visitor, staff["username"], staff["password"])
    await visitor.page.get_by_role("heading", name="Overview").wait_for()
    await visitor.open(address(customer))
    for name in ("Edit", "Change package", "Delete", "Anonymize"):
        assert await visitor.link(name).count() == 0, name
    assert await visitor.button("Make a copy").count() == 0
    await visitor.button("Log in as customer").wait_for()
    await visitor.button("Send password e-mail").click()
    await visitor.sees("The e-mail with the link is on its way.")
    await visitor.link("Suspend").click()
    await visitor.page.get_by_label("Reason").fill("Unpaid invoices")
    await expect_a_good_page(visitor)
    await visitor.button("Suspend").click()
    await visitor.sees("The customer is suspended.")
    await visitor.page.get_by_text("Reason: Unpaid invoices").wait_for()
    assert await visitor.button("Log in as customer").count() == 0
    await expect_a_good_page(visitor)
    await visitor.button("End suspension").click()
    await visitor.sees("The suspension has ended. The sites are online again.")


async def test_exports_deletes_restores_and_anonymises(
    service: Service, visitor: Window, customer: dict[str, Any]
) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(address(customer))
    await visitor.button("Make a copy").click()
    await visitor.sees("The copy is being made.")

    async def is_ready() -> bool:
        await visitor.open(address(customer))
        return await visitor.link("Download").count() == 1

    await eventually(is_ready)
    async with visitor.page.expect_download() as started:
        await visitor.link("Download").click()
    assert (await started.value).suggested_filename.startswith("account-data-")
    await visitor.link("Delete").click()
    await heading(visitor, f"Delete {name_of(customer)}?")
    await expect_a_good_page(visitor)
    await visitor.button("Delete").click()
    await visitor.sees("The customer was deleted.")
    await expect_a_good_page(visitor)
    await visitor.button("Restore").click()
    await visitor.page.get_by_text("The customer was restored.").wait_for()
    await visitor.link("Anonymize").click()
    await visitor.page.get_by_label("Type the name to confirm").fill("Somebody Else")
    await visitor.button("Anonymize for good").click()
    await visitor.sees("This is not the customer’s name. Nothing was changed.")
    visitor.expect_failure("/anonymise")
    await expect_a_good_page(visitor)
    await visitor.page.get_by_label("Type the name to confirm").fill(name_of(customer))
    await visitor.button("Anonymize for good").click()
    await visitor.sees("The personal details were erased.")
    await heading(visitor, "anonymised anonymised")
    await expect_a_good_page(visitor)


async def test_viewers_see_everything_and_change_nothing(
    service: Service, window: OpenWindow, client: httpx.AsyncClient
) -> None:
    visitor, staff = await window("phone"), service.demo["staff"]["viewer"]
    user = (await done(client.post("/users", json=new_user(username="seen"))))["accountHolder"]
    await log_in(visitor, staff["username"], staff["password"])
    await visitor.page.get_by_role("heading", name="Overview").wait_for()
    await visitor.open(address(user))
    await visitor.sees("ann@mail.example")
    forms = await visitor.page.locator("main form").count()
    assert (forms, await visitor.page.locator("main a.button.danger").count()) == (0, 0)
    await expect_a_good_page(visitor)


async def test_charges_of_a_customer(
    service: Service, client: httpx.AsyncClient, visitor: Window, customer: dict[str, Any]
) -> None:
    assert (await assign(client, customer["ref"], PRO)).status_code == 200
    await log_in_admin(service, visitor)
    await visitor.open(address(customer))
    await visitor.page.get_by_role("link", name="Show all: Charges").click()
    await heading(visitor, "Charges")
    assert await visitor.page.locator("tbody tr").count() == 1
    await visitor.link(name_of(customer)).wait_for()
    await expect_a_good_page(visitor)
    assert visitor.faults == []
