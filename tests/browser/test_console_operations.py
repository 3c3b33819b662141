"""The console's pages of audit, events, webhooks, mail and jobs in Chromium, on a desktop and on a phone."""

import re

import pytest

from tests.browser.console import CONSOLE, go_to, log_in, log_in_admin, open_filters
from tests.browser.test_every_page import findings_of
from tests.browser.window import Window
from tests.support.service import Service, owner_of

pytestmark = pytest.mark.system
URL = "https://hooks.example.com/operations"
EVENT = """
insert into events (brand_ref, sequence, id, kind, body, at)
values (1, 800000 + $1::bigint, gen_random_uuid(), 'site.publish', '{"versionRef": 7}', now())
"""
FAILED_DELIVERY = """
with delivery as (
    insert into webhook_deliveries (brand_ref, subscription_ref, sequence, attempts, dead_at)
    values (1, $1::bigint, 800000 + $1::bigint, 1, now())
    on conflict (brand_ref, sequence, subscription_ref) do update set attempts = 1, dead_at = now(), due_at = null
    returning sequence
)
insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, milliseconds, error)
select 1, $1::bigint, sequence, 1, now(), 'dead', 12, 'connection refused' from delivery
"""
"""For the owner of the tables, a trigger has made the delivery already."""
FAILED_MAIL = """
insert into mails (brand_ref, kind, facts, created_at, next_attempt_at, attempts, last_error, failed_at)
values (1, 'certificateExpiring', 'x', now(), now(), 9, '550 unknown', now()) returning ref
"""
FAILED_JOB = """
insert into jobs.queue (priority, entrypoint, payload, status, headers, execute_after, updated)
values (0, $1, '', 'failed', 'null', now(), now())
"""


async def expect_accessible(window: Window) -> None:
    await window.expect_a_page_that_fits()
    assert await findings_of(window.page) == []


async def test_the_audit_log_is_read_in_sentences(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    await go_to(visitor, "Audit log")
    await visitor.page.locator(".audit-sentence", has_text="brand1 logged in to the console").first.wait_for()
    await expect_accessible(visitor)
    await open_filters(visitor)
    await visitor.page.get_by_label("Kind of object").select_option("operator")
    await visitor.page.wait_for_url(re.compile(r"subject=operator$"))
    await visitor.page.get_by_role("link", name=re.compile("^Details of entry")).first.click()
    await visitor.page.get_by_role("heading", name=re.compile("^Entry ")).wait_for()
    await expect_accessible(visitor)
    await visitor.link("All entries of this person or program").click()
    await visitor.page.get_by_role("heading", name="Audit log").wait_for()
    assert "actor=operator" in visitor.page.url


async def test_a_subscription_is_created_and_a_failed_event_delivered_again(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    await go_to(visitor, "Webhooks")
    await visitor.link("New subscription").click()
    await expect_accessible(visitor)
    await visitor.page.get_by_label("Address").fill(URL)
    await visitor.button("Create subscription").click()
    await visitor.sees("The subscription was created.")
    await expect_accessible(visitor)
    subscription = int(visitor.page.url.partition("?")[0].rpartition("/")[2])
    async with owner_of(service) as owner:
        await owner.execute(EVENT, subscription)
        await owner.execute(FAILED_DELIVERY, subscription)
    await visitor.open(f"{CONSOLE}/webhooks?state=failed")
    await visitor.link(URL).first.click()
    await visitor.page.get_by_role("link", name=re.compile("^Attempt ")).first.click()
    await visitor.sees("connection refused")
    await expect_accessible(visitor)
    await visitor.button("Deliver again").click()
    await visitor.sees("The event is being delivered again.")
    await visitor.page.get_by_role("link", name=re.compile("^site.publish, number")).click()
    await visitor.page.get_by_role("heading", name=re.compile("^Event ")).wait_for()
    await expect_accessible(visitor)
    for path in ("events", "webhooks", "webhooks/attempts", "webhooks/secret"):
        await visitor.open(f"{CONSOLE}/{path}")
        await expect_accessible(visitor)
    await visitor.open(f"{CONSOLE}/webhooks/{subscription}")
    await visitor.link("Delete").click()
    await visitor.page.get_by_role("heading", name="Delete this subscription?").wait_for()
    await expect_accessible(visitor)
    await visitor.button("Delete").click()
    await visitor.sees("The subscription was deleted.")


async def test_a_failed_mail_is_sent_again(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    async with owner_of(service) as owner:
        ref = await owner.fetchval(FAILED_MAIL)
    await visitor.open(f"{CONSOLE}/mail?state=failed")
    await visitor.page.get_by_text("550 unknown").first.wait_for()
    await expect_accessible(visitor)
    await visitor.open(f"{CONSOLE}/mail/{ref}")
    await expect_accessible(visitor)
    await visitor.button("Send now").click()
    await visitor.sees("The e-mail is being sent again.")


async def test_previews_emails_in_a_frame(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/mail/preview")
    frame = visitor.page.frame_locator(".mail-frame")
    await frame.get_by_text("Welcome").first.wait_for()
    await expect_accessible(visitor)
    await visitor.page.get_by_label("Language", exact=True).select_option("de")
    await visitor.page.wait_for_url(re.compile("language=de"))
    await frame.get_by_text("Willkommen").first.wait_for()


async def test_a_system_owner_runs_a_failed_job_again(service: Service, visitor: Window) -> None:
    owner_login, kind = service.demo["systemOwner"], f"broken-{'phone' if visitor.is_phone else 'desktop'}"
    async with owner_of(service) as owner:
        await owner.execute(FAILED_JOB, kind)
    await log_in(visitor, owner_login["username"], owner_login["password"])
    await visitor.page.get_by_role("heading", name=re.compile("^Hello")).wait_for()
    await visitor.open(f"{CONSOLE}/jobs?state=failed&kind={kind}")
    await expect_accessible(visitor)
    await visitor.page.get_by_role("button", name=re.compile(r"^Run again: job \d+$")).click()
    await visitor.sees("The job is on the queue again.")
    await visitor.open(f"{CONSOLE}/audit/system")
    await visitor.page.locator(".audit-sentence", has_text="ran the job").first.wait_for()
    await expect_accessible(visitor)
