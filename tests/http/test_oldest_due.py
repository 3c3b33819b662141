"""`sitewright_oldest_due_seconds`: for how long the oldest item of each kind of work has been due."""

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.mails import RENEWED
from sitewright.app import OVERDUE
from sitewright.kit import clock
from sitewright.kit.mail import Mail, put
from sitewright.kit.resources import Resources
from tests.http.test_metrics import figure
from tests.support.cast import OTHER_BRAND
from tests.support.many_packages import make_packages
from tests.support.packages import EURO_PRO, TRIAL
from tests.support.probe_jobs import WRITE, Note
from tests.support.sites import make_domain, make_media, make_site
from tests.support.users import OwnerConnection, insert, make_user

HOUR = timedelta(hours=1)
MANY = 20_000
MOST_PAGES = 100
UNTIL_PLANNED_FOR_ANY_TIME = 7


async def overdue(client: httpx.AsyncClient) -> dict[str, float]:
    text = (await client.get("/metrics")).text
    return {kind: figure(text, "sitewright_oldest_due_seconds", kind=kind) for kind in OVERDUE}


@pytest.fixture
async def user_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources, OTHER_BRAND, password=None)


async def due_package(owner: OwnerConnection, user_ref: int, **columns: Any) -> None:
    sets = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, start=2))
    await owner.execute(f"update account_packages set {sets} where user_ref = $1", user_ref, *columns.values())


async def a_change(owner: OwnerConnection, _resources: Resources, user_ref: int) -> None:
    await due_package(owner, user_ref, due_at=clock.now() - HOUR)


async def a_reminder(owner: OwnerConnection, _resources: Resources, user_ref: int) -> None:
    await due_package(owner, user_ref, due_at=clock.now() + HOUR, remind_at=clock.now() - HOUR, package_ref=TRIAL)


async def a_mail(_owner: OwnerConnection, resources: Resources, user_ref: int) -> None:
    async with resources.database.transaction(OTHER_BRAND) as tx:
        letter = Mail(kind=RENEWED, user_ref=user_ref)
        await put(tx, resources.sealer, OTHER_BRAND, [letter], at=clock.now() - HOUR)


async def a_delivery(owner: OwnerConnection, _resources: Resources, _user_ref: int) -> None:
    """The second of two subscriptions has the older delivery; a third is inactive."""
    for number, (age, active) in enumerate([(HOUR / 2, True), (HOUR, True), (2 * HOUR, False)], start=1):
        row = {
            "brand_ref": number % 2 + 1, "event": "x", "url": "https://hooks.example", "destination": "hooks.example",
            "active": active, "created_at": clock.now(), "updated_at": clock.now(),
        }  # fmt: skip
        subscription = await insert(owner, "webhook_subscriptions", row)
        await owner.execute(
            "insert into events (brand_ref, sequence, id, kind, at, body)"
            " values ($1, $2, gen_random_uuid(), 'y', $3, '{}')",
            row["brand_ref"],
            1000 + number,
            clock.now(),
        )
        await owner.execute(
            "insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at) values ($1, $2, $3, $4)",
            row["brand_ref"],
            subscription,
            1000 + number,
            clock.now() - age,
        )


async def a_report(owner: OwnerConnection, _resources: Resources, _user_ref: int) -> None:
    row = {
        "brand_ref": 2, "job": "j", "link_key": b"k", "show_deleted": False, "created_at": clock.now() - HOUR,
        "give_up_at": clock.now() + HOUR, "due_at": clock.now() - HOUR,
    }  # fmt: skip
    await insert(owner, "user_reports", row)


async def a_domain(owner: OwnerConnection, _resources: Resources, user_ref: int) -> int:
    package_ref, supplier_ref = tuple(
        await owner.fetchrow("select package_ref, supplier_ref from domain_products limit 1") or ()
    )
    held = await owner.fetchval("select ref from account_packages where user_ref = $1", user_ref)
    row = {
        "brand_ref": OTHER_BRAND, "user_ref": user_ref, "domain": "due.example", "package_ref": package_ref,
        "account_package_ref": held, "dns_provider_ref": supplier_ref, "status": "active",
        "registered_at": clock.now() - 400 * 24 * HOUR, "registered_until": clock.now() - HOUR,
        "expires_at": clock.now() + 24 * HOUR, "updated_at": clock.now(),
    }  # fmt: skip
    return await insert(owner, "account_domains", row)


async def a_mailbox(owner: OwnerConnection, resources: Resources, user_ref: int) -> None:
    domain = await a_domain(owner, resources, user_ref)
    await owner.execute("update account_domains set registered_until = expires_at")
    row = {
        "brand_ref": OTHER_BRAND, "account_domain_ref": domain, "name": "ann", "password_hash": "x",
        "status": "pending", "created_at": clock.now() - HOUR, "updated_at": clock.now() - HOUR,
    }  # fmt: skip
    await insert(owner, "mailboxes", row)


async def an_automatic_certificate(owner: OwnerConnection, _resources: Resources, _user_ref: int) -> None:
    """An authority is in use: otherwise nothing is ordered, and nothing is late."""
    at = clock.now() - HOUR
    account = "insert into acme_accounts (directory, sealed_key, url, created_at) values ('d', 'key', 'url', $1)"
    await owner.execute(account, at)
    row = {"brand_ref": OTHER_BRAND, "name": "a.example", "is_wildcard": False, "due_at": at, "created_at": at}
    await insert(owner, "automatic_certificates", row)


async def a_zone(owner: OwnerConnection, resources: Resources, user_ref: int) -> None:
    domain = await a_domain(owner, resources, user_ref)
    await owner.execute("update account_domains set registered_until = expires_at")
    late = clock.now() - HOUR
    row = {"name": "due.example", "created_at": late, "out_of_sync_since": late}
    await owner.execute(
        "insert into dns_zones (brand_ref, account_domain_ref, name, created_at, out_of_sync_since)"
        " values ($1, $2, $3, $4, $5)",
        OTHER_BRAND, domain, *row.values(),
    )  # fmt: skip


async def a_domain_check(owner: OwnerConnection, resources: Resources, user_ref: int) -> None:
    site_ref = await make_site(owner, resources, OTHER_BRAND, user_ref=user_ref)
    domain_ref = await make_domain(owner, OTHER_BRAND, site_ref, "due.example")
    row = {"brand_ref": OTHER_BRAND, "domain_ref": domain_ref, "since": clock.now(), "due_at": clock.now() - HOUR}
    await insert(owner, "domain_checks", row)


async def some_media(owner: OwnerConnection, resources: Resources, user_ref: int) -> None:
    site_ref = await make_site(owner, resources, OTHER_BRAND, user_ref=user_ref)
    await make_media(owner, OTHER_BRAND, site_ref, user_ref, due_at=clock.now() - HOUR)


async def an_erasure(owner: OwnerConnection, resources: Resources, user_ref: int) -> None:
    site_ref = await make_site(owner, resources, OTHER_BRAND, user_ref=user_ref, deleted_at=clock.now())
    await owner.execute(
        "insert into site_erasures (brand_ref, site_ref, requested_at, erase_after, due_at, was_live)"
        " values ($1, $2, $3, $3, $3, false)",
        OTHER_BRAND, site_ref, clock.now() - HOUR,
    )  # fmt: skip


async def a_job(owner: OwnerConnection, resources: Resources, _user_ref: int) -> None:
    async with resources.database.transaction(None) as tx:
        await WRITE.enqueue(tx, Note("late"))
        await WRITE.enqueue(tx, Note("later"), after=HOUR)
    await owner.execute("update jobs.queue set execute_after = now() - interval '1 hour' where execute_after <= now()")


async def a_schedule(owner: OwnerConnection, _resources: Resources, _user_ref: int) -> None:
    await owner.execute(
        "insert into jobs.schedules (expression, entrypoint, next_run)"
        " values ('* * * * *', 'x', now() - interval '1 hour')"
    )


MAKERS = {
    "packages": a_change,
    "reminders": a_reminder,
    "mails": a_mail,
    "webhooks": a_delivery,
    "user-reports": a_report,
    "account-domains": a_domain,
    "mailboxes": a_mailbox,
    "automatic-certificates": an_automatic_certificate,
    "dns-zones": a_zone,
    "domain-checks": a_domain_check,
    "media-variants": some_media,
    "site-erasures": an_erasure,
    "jobs": a_job,
    "schedules": a_schedule,
}


def test_every_kind_of_due_work_is_tested() -> None:
    assert list(MAKERS) == list(OVERDUE)


@pytest.mark.parametrize("kind", MAKERS)
async def test_the_oldest_item_shows_how_late_its_kind_is(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int, kind: str
) -> None:
    assert await overdue(anonymous) == dict.fromkeys(OVERDUE, 0)
    await MAKERS[kind](owner_connection, resources, user_ref)
    seen = await overdue(anonymous)
    assert 3600 <= seen.pop(kind) < 3700
    assert set(seen.values()) == {0}


async def test_stuck_users_are_counted_separately(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int
) -> None:
    await a_change(owner_connection, resources, user_ref)
    await owner_connection.execute(
        "insert into package_sweep_failures values ($1, $2, 1, now(), 1, 'x')", OTHER_BRAND, user_ref
    )
    assert (await overdue(anonymous))["packages"] == 0


async def test_it_reads_few_database_pages_among_many_packages(clean: None, owner_connection: OwnerConnection) -> None:
    month = timedelta(days=30)
    await make_packages(
        owner_connection, MANY, brand_ref=2, package_ref=EURO_PRO, called="u", is_trial=False, age=month, due_in=month
    )
    await owner_connection.execute("analyze users, account_packages")
    for function in ("oldest_due_package", "oldest_due_reminder"):
        for _ in range(UNTIL_PLANNED_FOR_ANY_TIME):
            look = f"explain (analyze, buffers, format json) select {function}(now())"
            [explained] = json.loads(await owner_connection.fetchval(look))
        assert explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"] < MOST_PAGES
