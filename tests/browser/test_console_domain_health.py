"""Health, certificates and DNS records in the console."""

import httpx
import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.console import CONSOLE, log_in_admin
from tests.browser.window import Window
from tests.support.account_domains import make_account_domain
from tests.support.customers import make_customer
from tests.support.eventually import eventually
from tests.support.service import Service, owner_of

pytestmark = pytest.mark.system
FAILING = """
update domain_checks set status = 'failing', state = 'failing', failing_check = 'leadsHereIpv6', due_at = null,
       checked_at = now() + interval '1 minute'
 where domain_ref = (select ref from site_domains where domain = $1)
"""
"""A check that runs meanwhile began earlier, and so changes nothing."""


async def test_the_health_of_an_address(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    host = f"www.health-{'phone' if visitor.is_phone else 'desktop'}.com"
    customer = await make_customer(client, 1, host)
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/sites/{customer.site['ref']}")
    await expect_accessible(visitor)
    await visitor.link(host).click()
    await visitor.page.get_by_role("heading", name="Health", exact=True).wait_for()
    await visitor.page.get_by_role("button", name="Check").click()
    await visitor.page.get_by_text("Checked:").wait_for()
    await visitor.page.get_by_text("Other checks:").click()
    await expect_accessible(visitor)
    await visitor.open(f"{CONSOLE}/certificates/automatic")
    await visitor.page.get_by_role("heading", name="Automatic certificates").wait_for()
    await expect_accessible(visitor)


async def test_failing_addresses_are_listed_by_reason(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    host = f"www.failing-{'phone' if visitor.is_phone else 'desktop'}.com"
    customer = await make_customer(client, 1, host)
    async with owner_of(service) as owner:
        await owner.execute(FAILING, host)
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/overview")
    await visitor.link("Addresses of sites").click()
    await visitor.page.wait_for_url("**/console/addresses?health=failing")
    row = visitor.page.get_by_role("row").filter(has_text=host)
    await row.get_by_text("Does not lead here over IPv6").wait_for()
    await expect_accessible(visitor)
    await visitor.open(f"{CONSOLE}/overview")
    await visitor.link("Does not lead here over IPv6").click()
    await visitor.page.wait_for_url("**/console/addresses?reason=leadsHereIpv6")
    await row.get_by_text("Not working").wait_for()
    await visitor.link(host).click()
    await visitor.page.wait_for_url(f"**/console/sites/{customer.site['ref']}/domains/*")


async def test_the_records_of_a_domain(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    name = f"console-dns-{'phone' if visitor.is_phone else 'desktop'}.com"
    customer = await make_customer(client, 1, f"www.{name}")
    async with owner_of(service) as owner:
        ref = await make_account_domain(owner, 1, customer.user_ref, name)
        await owner.execute(
            "insert into dns_zones (brand_ref, account_domain_ref, name, created_at, out_of_sync_since, due_at)"
            " values (1, $1, $2, now(), now(), now())",
            ref,
            name,
        )
    await log_in_admin(service, visitor)

    async def is_published() -> bool:
        await visitor.open(f"{CONSOLE}/domains/{ref}")
        return await visitor.page.get_by_text("The name servers have all records.").count() == 1

    await eventually(is_published)
    await expect_accessible(visitor)
    await visitor.link("Add a record").click()
    await visitor.link("TXT: text").click()
    await visitor.page.get_by_label("Text", exact=True).fill("verification=1")
    await expect_accessible(visitor)
    await visitor.button("Add a record").click()
    await visitor.sees("The record is added.")
    await visitor.sees("verification=1")
    await visitor.open(f"{CONSOLE}/domains/{ref}/plan")
    await visitor.page.get_by_role("heading", name=f"Changes of the DNS of {name}").wait_for()
    await expect_accessible(visitor)
    await visitor.open(f"{CONSOLE}/domains?health=failing")
    await expect_accessible(visitor)
