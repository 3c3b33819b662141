"""Sites in the console: find one, see why it is offline, roll back and publish."""

import httpx
import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.console import CONSOLE, go_to, log_in, log_in_admin
from tests.browser.window import Window
from tests.support.customers import Customer, done, make_customer
from tests.support.service import Service

pytestmark = pytest.mark.system
SITES = f"{CONSOLE}/sites"


async def published(client: httpx.AsyncClient, host: str) -> Customer:
    customer = await make_customer(client, 1, host)
    await customer.add_page("home", "Home")
    await customer.publish()
    await customer.publish()
    return customer


async def test_finds_a_site_and_rolls_it_back(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    host = f"console-{'phone' if visitor.is_phone else 'desktop'}.example"
    await published(client, host)
    await log_in_admin(service, visitor)
    await go_to(visitor, "Sites")
    await visitor.page.get_by_label("Beginning of an address, or a site's number").fill(host[:-4])
    await visitor.page.locator("#list tbody tr").nth(1).wait_for(state="detached")
    await expect_accessible(visitor)
    await visitor.link(host).click()
    await visitor.sees("Visitors see the site.")
    await expect_accessible(visitor)
    await visitor.link("Put back online: version 1").click()
    await visitor.page.get_by_role("heading", name=f"Put version 1 of {host} back online?").wait_for()
    await expect_accessible(visitor)
    await visitor.button("Put back online").click()
    await visitor.sees("Visitors see this version again.")
    assert await visitor.link("Put back online: version 2").count() == 1
    await visitor.link("Publish").click()
    await visitor.button("Publish").click()
    await visitor.sees("The site is published.")
    assert await visitor.link("Put back online: version 3").count() == 0
    assert await visitor.link("Put back online: version 2").count() == 1
    await expect_accessible(visitor)


async def test_says_why_a_site_is_offline_and_hides_what_a_viewer_may_not_do(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    host = f"offline-{'phone' if visitor.is_phone else 'desktop'}.example"
    customer = await published(client, host)
    await done(client.put(customer.path, json={"enabled": 0}))
    staff = service.demo["staff"]["viewer"]
    await log_in(visitor, staff["username"], staff["password"])
    await visitor.page.get_by_role("heading", name="Overview").wait_for()
    await visitor.open(f"{SITES}?state=siteDisabled")
    await visitor.link(host).click()
    await visitor.sees("Visitors see the offline page, because the brand has disabled the site.")
    await expect_accessible(visitor)
    assert await visitor.link("Publish").count() == 0
    assert await visitor.link("Put back online: version 1").count() == 0
