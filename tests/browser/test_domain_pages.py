"""Domains as an account holder sees them: a new domain until it works, and the DNS records of a registered one."""

import httpx
import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.test_workspace import log_in_link
from tests.browser.window import Window
from tests.support.account_domains import make_account_domain
from tests.support.customers import make_customer
from tests.support.service import Service, owner_of

pytestmark = pytest.mark.system


def name_for(visitor: Window, name: str) -> str:
    return f"{name}-{'phone' if visitor.is_phone else 'desktop'}.com"


async def test_a_new_domain_is_checked_while_the_page_is_open(client: httpx.AsyncClient, visitor: Window) -> None:
    name = name_for(visitor, "checked")
    customer = await make_customer(client, 1, f"www.{name}")
    await visitor.open(await log_in_link(customer))
    await visitor.page.get_by_label("Your own domain").fill(name)
    await visitor.button("Connect").click()
    await visitor.sees("The domain is connected. Now enter its DNS records.")
    again = visitor.button(f"Check again: {name}")
    await again.wait_for()
    await expect_accessible(visitor)
    state = visitor.page.locator("li", has=again)
    await state.get_by_text("Checked:").wait_for()  # without loading the page again
    await expect_accessible(visitor)
    await state.get_by_text("Other checks:").click()
    await expect_accessible(visitor)
    await again.click()
    await visitor.page.get_by_role("status").filter(has_text="The domain was checked").wait_for()


async def test_records_of_a_registered_domain(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    name = name_for(visitor, "records")
    customer = await make_customer(client, 1, f"www.{name}")
    async with owner_of(service) as owner:
        ref = await make_account_domain(owner, 1, customer.user_ref, name)
        await owner.execute(
            "insert into dns_zones (brand_ref, account_domain_ref, name, created_at, out_of_sync_since, due_at)"
            " values (1, $1, $2, now(), now(), now())",
            ref,
            name,
        )
    await visitor.open(await log_in_link(customer, "/account/domains"))
    await visitor.link(name).click()
    await visitor.page.get_by_text("The name servers have all of these records.").wait_for()
    await expect_accessible(visitor)
    await visitor.link("Add a record").click()
    await visitor.link("MX: mail server").click()
    await expect_accessible(visitor)
    await visitor.page.get_by_label("Name", exact=True).fill("post")
    await visitor.page.get_by_label("Mail server").fill("mail")
    await visitor.button("Add a record").click()
    await visitor.sees("This is not a complete host name. Write it like shop.example.com.")
    visitor.faults.clear()  # Chromium reports the status 400
    await expect_accessible(visitor)
    await visitor.page.get_by_label("Mail server").fill("mail.example.net")
    await visitor.button("Add a record").click()
    await visitor.sees("The record is added.")
    await visitor.sees("10 mail.example.net")
    await visitor.link(f"Change MX post.{name}").click()
    await visitor.link("Delete the record").click()
    await visitor.page.get_by_role("dialog", name=f"Delete MX post.{name}?").wait_for(state="visible")
    await expect_accessible(visitor)
    await visitor.button("Delete the record").click()
    await visitor.sees("The record is deleted.")
    assert await visitor.page.get_by_text("10 mail.example.net").count() == 0
    await visitor.link(f"Change TXT {name}").click()
    await visitor.page.get_by_text("it becomes your own").first.wait_for()
    await expect_accessible(visitor)
    await visitor.link(name).click()
    await visitor.button("Check now").click()
    await visitor.sees("The domain was checked.")
    await expect_accessible(visitor)
