"""Registered domains in the console: the list, the page with mailboxes, and retries."""

import csv
import io
from datetime import timedelta

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.account_domains import make_account_domain
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.operators import send
from tests.support.users import OwnerConnection, insert, make_user
from tests.web.console.conftest import LogIn

DOMAINS = "/console/domains"
FAILED = {"status": "failed", "failure": "The postcode of the holder is missing.", "failed_at": clock.now()}
VOID = FAILED | {"registered_until": None, "ended_at": clock.now(), "released_at": clock.now()}
"""A registration that was refused."""


@pytest.fixture
async def user_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources)


@pytest.fixture
async def failed(owner_connection: OwnerConnection, user_ref: int) -> int:
    return await make_account_domain(
        owner_connection, OWN_BRAND, user_ref, "bakery.example", registered_until=None, **FAILED
    )


async def make_mailbox(owner: OwnerConnection, domain_ref: int, name: str, **columns: object) -> int:
    now = clock.now()
    row = {
        "brand_ref": OWN_BRAND, "account_domain_ref": domain_ref, "name": name, "password_hash": "none",
        "status": "active", "created_at": now, "updated_at": now,
    }  # fmt: skip
    return await insert(owner, "mailboxes", row | columns)


def names(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return [row["domain"] for row in csv.DictReader(io.StringIO(response.text))]


async def test_filters_and_sorts(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int, failed: int
) -> None:
    now = clock.now()
    await make_account_domain(owner_connection, OWN_BRAND, user_ref, "active.example", expires_at=now)
    await make_account_domain(
        owner_connection, OWN_BRAND, user_ref, "pending.example", status="pending", expires_at=now - timedelta(days=1)
    )
    ended = {"status": "expired", "ended_at": now, "released_at": now, "expires_at": now + timedelta(days=500)}
    await make_account_domain(owner_connection, OWN_BRAND, user_ref, "expired.example", **ended)
    await make_account_domain(owner_connection, OWN_BRAND, user_ref, "deleted.example", **ended, deleted_at=now)
    unreleased = ended | {"released_at": None, "deleted_at": now, "failure": "No clear response yet."}
    await make_account_domain(owner_connection, OWN_BRAND, user_ref, "unreleased.example", **unreleased)
    theirs = await make_user(owner_connection, resources, OTHER_BRAND)
    await make_account_domain(owner_connection, OTHER_BRAND, theirs, "active.rival.example")
    for state in ("active", "pending", "expired", "deleted"):
        assert names(await admin.get(f"{DOMAINS}.csv?state={state}")) == [f"{state}.example"]
    assert names(await admin.get(f"{DOMAINS}.csv?state=failed")) == ["unreleased.example", "bakery.example"]
    assert names(await admin.get(f"{DOMAINS}.csv?search=ACTI")) == ["active.example"]
    assert names(await admin.get(f"{DOMAINS}.csv?search=_ctive")) == []
    assert names(await admin.get(f"{DOMAINS}.csv?user={theirs}")) == []
    assert len(names(await admin.get(f"{DOMAINS}.csv?user={user_ref}"))) == 6
    assert names(await admin.get(f"{DOMAINS}.csv?sort=expires"))[:2] == ["pending.example", "active.example"]
    page = await admin.get(f"{DOMAINS}?state=failed")
    assert "The postcode of the holder is missing." in page_text(page)
    assert f'href="{DOMAINS}/{failed}"' in page.text
    assert_loads_nothing_else(page)


async def test_shows_the_message_of_the_registrar_and_retries(
    owner_connection: OwnerConnection, log_in: LogIn, failed: int, user_ref: int
) -> None:
    support = await log_in("support")
    page = await support.get(f"{DOMAINS}/{failed}")
    assert_loads_nothing_else(page)
    assert "The postcode of the holder is missing." in page_text(page)
    assert "It is not tried again by itself." in page_text(page)
    assert f'href="/console/customers/{user_ref}"' in page.text
    done = await send(support, f"{DOMAINS}/{failed}/retry")
    assert done.headers["location"] == f"{DOMAINS}/{failed}?done=retried"
    assert await owner_connection.fetchval("select due_at is not null from account_domains where ref = $1", failed)
    assert "It is tried again by itself" in page_text(await support.get(done.headers["location"]))
    entry = await owner_connection.fetchrow(
        "select actor, subject, subject_ref from audit_entries where action='retry'"
    )
    assert entry is not None
    assert entry["actor"].startswith("operator:")
    assert (entry["subject"], entry["subject_ref"]) == ("account domain", failed)


async def test_a_failed_registration_has_ended_and_cannot_be_retried(
    owner_connection: OwnerConnection, log_in: LogIn, user_ref: int
) -> None:
    void = await make_account_domain(owner_connection, OWN_BRAND, user_ref, "refused.example", **VOID)
    support = await log_in("support")
    page = await support.get(f"{DOMAINS}/{void}")
    assert "The registration has ended and is not charged; the customer can order again." in page_text(page)
    assert "The postcode of the holder is missing." in page_text(page)
    assert "Paid until" not in page_text(page)
    assert f"{DOMAINS}/{void}/retry" not in page.text
    done = await send(support, f"{DOMAINS}/{void}/retry")
    assert done.headers["location"] == f"{DOMAINS}/{void}"
    assert await owner_connection.fetchval("select due_at from account_domains") is None


async def test_retries_all_that_failed_and_no_others(
    owner_connection: OwnerConnection, resources: Resources, log_in: LogIn, failed: int, user_ref: int
) -> None:
    works = await make_account_domain(owner_connection, OWN_BRAND, user_ref, "works.example")
    their_user = await make_user(owner_connection, resources, OTHER_BRAND)
    theirs = await make_account_domain(owner_connection, OTHER_BRAND, their_user, "theirs.example", **FAILED)
    await make_account_domain(owner_connection, OWN_BRAND, user_ref, "refused.example", **VOID)
    support = await log_in("support")
    done = await send(support, f"{DOMAINS}/retry")
    assert "The registrar is called again for all failed domains that can be retried." in page_text(
        await support.get(done.headers["location"])
    )
    due = await owner_connection.fetch("select ref from account_domains where due_at is not null")
    assert [row["ref"] for row in due] == [failed]
    assert {works, theirs}.isdisjoint(row["ref"] for row in due)


async def test_shows_mailboxes_and_retries_one(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, failed: int
) -> None:
    await make_mailbox(owner_connection, failed, "info")
    broken = await make_mailbox(owner_connection, failed, "sales", status="failed", reason="The disk is full.")
    page = await admin.get(f"{DOMAINS}/{failed}")
    assert "info@bakery.example" in page_text(page)
    assert "The disk is full." in page_text(page)
    assert f'action="{DOMAINS}/{failed}/mailboxes/info/retry"' not in page.text
    done = await send(admin, f"{DOMAINS}/{failed}/mailboxes/sales/retry")
    assert done.headers["location"] == f"{DOMAINS}/{failed}?done=mailbox"
    row = await owner_connection.fetchrow("select status, reason from mailboxes where ref = $1", broken)
    assert tuple(row or ()) == ("pending", None)
    entry = await owner_connection.fetchrow("select actor, request_id from audit_entries where subject = 'mailbox'")
    assert entry is not None
    assert entry["actor"].startswith("operator:")
    assert entry["request_id"] is not None
    assert (await send(admin, f"{DOMAINS}/{failed}/mailboxes/nobody/retry")).status_code == 404
    assert (await send(admin, f"{DOMAINS}/{failed}/mailboxes/no%20name/retry")).status_code == 404


async def test_forms_need_the_right_and_the_token(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection, failed: int
) -> None:
    viewer = await log_in("viewer")
    await make_mailbox(owner_connection, failed, "sales", status="failed")
    for path in ("/retry", f"/{failed}/retry", f"/{failed}/mailboxes/sales/retry"):
        assert (await send(viewer, f"{DOMAINS}{path}")).status_code == 403
        assert (await admin.post(f"{DOMAINS}{path}", data={"token": ""})).status_code == 403
    assert "Retry" not in page_text(await viewer.get(f"{DOMAINS}/{failed}"))
    assert "Retry" not in page_text(await viewer.get(DOMAINS))
    assert await owner_connection.fetchval("select due_at from account_domains where ref = $1", failed) is None


async def test_a_domain_of_another_brand_does_not_exist(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, OTHER_BRAND)
    theirs = await make_account_domain(owner_connection, OTHER_BRAND, user_ref, "theirs.example", **FAILED)
    for ref in (theirs, 999_999_999):
        assert (await admin.get(f"{DOMAINS}/{ref}")).status_code == 404
        assert (await send(admin, f"{DOMAINS}/{ref}/retry")).status_code == 404
        assert (await send(admin, f"{DOMAINS}/{ref}/mailboxes/info/retry")).status_code == 404
    assert await owner_connection.fetchval("select due_at from account_domains where ref = $1", theirs) is None


async def test_in_other_languages(admin: httpx.AsyncClient, failed: int) -> None:
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in (DOMAINS, f"{DOMAINS}/{failed}"):
            assert (await admin.get(path)).status_code == 200
