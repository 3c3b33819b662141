"""Registered domains in the console: the message of the registrar, and retries until it works."""

import httpx
import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.console import CONSOLE, go_to, log_in_admin, open_filters
from tests.browser.window import Window
from tests.support.account_domains import make_account_domain
from tests.support.customers import make_customer
from tests.support.eventually import eventually
from tests.support.service import Service, owner_of
from tests.support.users import insert

pytestmark = pytest.mark.system
REASON = "The postcode of the holder is missing."


async def failed_domain(service: Service, client: httpx.AsyncClient, name: str) -> int:
    """With a mailbox that failed."""
    customer = await make_customer(client, 1, f"www.{name}")
    async with owner_of(service) as owner:
        ref = await make_account_domain(
            owner, 1, customer.user_ref, name, status="failed", failure=REASON, registered_until=None
        )
        now = await owner.fetchval("select now()")
        mailbox = {"name": "info", "password_hash": "x", "status": "failed", "reason": "No such server."}
        times = {"created_at": now, "updated_at": now}
        await insert(owner, "mailboxes", {"brand_ref": 1, "account_domain_ref": ref} | mailbox | times)
    return ref


async def test_retries_a_domain_and_a_mailbox(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    name = f"retry-{'phone' if visitor.is_phone else 'desktop'}.com"
    ref = await failed_domain(service, client, name)
    await log_in_admin(service, visitor)
    await go_to(visitor, "Domains")
    await open_filters(visitor)
    await visitor.page.get_by_label("State").select_option("failed")
    await visitor.link(name).wait_for()
    await expect_accessible(visitor)
    await visitor.link(name).click()
    await visitor.sees(REASON)
    await visitor.sees("No such server.")
    await expect_accessible(visitor)
    await visitor.button(f"Retry info@{name}").click()
    await visitor.sees("The mail server sets the mailbox up again.")
    await visitor.button("Retry").first.click()
    await visitor.sees("The registrar is called again.")

    async def is_active() -> bool:
        await visitor.open(f"{CONSOLE}/domains/{ref}")
        return await visitor.page.get_by_text("The domain is registered;").count() == 1

    await eventually(is_active)
    assert await visitor.button("Retry").count() == 0
    await expect_accessible(visitor)


async def test_retries_all_that_failed(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    name = f"all-{'phone' if visitor.is_phone else 'desktop'}.com"
    await failed_domain(service, client, name)
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/domains?state=failed")
    await visitor.button("Retry all that failed").click()
    await visitor.sees("The registrar is called again for all failed domains that can be retried.")

    async def is_registered() -> bool:
        await visitor.open(f"{CONSOLE}/domains?state=active&search={name}")
        return await visitor.link(name).count() == 1

    await eventually(is_registered)
