"""Drift in the console: what is wrong, by kind, and the way to where it is put right."""

import httpx
import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.console import go_to, log_in_admin
from tests.browser.window import Window
from tests.support.account_domains import make_account_domain
from tests.support.customers import make_customer
from tests.support.service import Service, owner_of
from tests.support.users import insert

pytestmark = pytest.mark.system


async def test_shows_what_does_not_match_and_leads_there(
    service: Service, client: httpx.AsyncClient, visitor: Window
) -> None:
    name = "phone" if visitor.is_phone else "desktop"
    payer = await make_customer(client, 1, f"paid-{name}.example", package_ref=3)
    async with owner_of(service) as owner:
        ref = await make_account_domain(owner, 1, payer.user_ref, f"lost-{name}.com", status="failed")
        now = await owner.fetchval("select now()")
        mailbox = {"name": "info", "password_hash": "x", "status": "failed", "created_at": now, "updated_at": now}
        await insert(owner, "mailboxes", {"brand_ref": 1, "account_domain_ref": ref} | mailbox)
    await log_in_admin(service, visitor)
    await go_to(visitor, "Differences")
    await visitor.page.get_by_role("heading", name="Differences").wait_for()
    await visitor.page.get_by_text("no site was ever published").first.wait_for()
    await visitor.expect_a_page_that_fits()
    await expect_accessible(visitor)
    await visitor.page.get_by_label("Kind").select_option("mailboxWithoutDomain")
    await visitor.link(f"lost-{name}.com").wait_for()
    await visitor.page.get_by_text("no site was ever published").first.wait_for(state="detached")
    await expect_accessible(visitor)
    await visitor.link(f"lost-{name}.com").click()
    await visitor.page.get_by_role("heading", name=f"lost-{name}.com").first.wait_for()
