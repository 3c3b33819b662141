"""PUT /users/:userRef/domains/:accountDomainRef/mailboxes/:user."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.domains.mailboxes.conftest import DOMAIN, PASSWORD, Holder, listed, put
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, assign_package, make_user

LONGEST = "a" * 64


async def count(owner: OwnerConnection, table: str = "mailboxes") -> int:
    found: int = await owner.fetchval(f"select count(*) from {table}")
    return found


async def test_a_mailbox_is_pending_then_active(owner: httpx.AsyncClient, ann: Holder, worker: Worker) -> None:
    response = await put(owner, ann, "info")
    assert (response.status_code, response.json()) == (200, {"mailbox": [{"user": "info", "status": "pending"}]})
    await worker.work()
    assert await listed(owner, ann) == {"info": "active"}


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("a", "a"),
        (LONGEST, LONGEST),
        ("Ann.Example", "ann.example"),
        ("ann+shop", "ann+shop"),
        ("ann%2Bshop", "ann+shop"),
        ("_-.0", "_-.0"),
    ],
)
async def test_names_are_stored_in_lower_case(owner: httpx.AsyncClient, ann: Holder, user: str, name: str) -> None:
    assert (await put(owner, ann, user)).json()["mailbox"][0]["user"] == name
    assert (await put(owner, ann, user.upper())).status_code == 200
    assert await listed(owner, ann) == {name: "pending"}


@pytest.mark.parametrize(
    "user",
    [
        "a%20b", "%20", "a" * 65, "%C3%A4nn", "%D0%B0%D0%BD%D0%BD%D0%B0", "a@b", "a%2Fb", "a%00b", "a%0A", "%ED%A0%80",
        "%E2%84%AAelvin", "a!b", "a%25b", "%22a%22",
    ],
)  # fmt: skip
async def test_invalid_names(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder, user: str
) -> None:
    assert problem_in(await put(owner, ann, user)) == (400, "invalidUser")
    assert (await count(owner_connection), await count(owner_connection, "jobs.queue")) == (0, 0)


@pytest.mark.parametrize("user", ["a%20b", "a" * 65, "%D0%B0"])
async def test_an_invalid_name_is_not_found_by_other_methods(owner: httpx.AsyncClient, ann: Holder, user: str) -> None:
    assert problem_in(await owner.delete(f"{ann.path}/{user}")) == (404, "mailboxNotFound")
    assert problem_in(await owner.post(f"{ann.path}/{user}/login-tokens")) == (404, "mailboxNotFound")


@pytest.mark.parametrize("password", ["", "123456", "x" * 101, 1234567, None, ["correct horse"], "correct\0horse"])
async def test_invalid_passwords(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder, password: Any
) -> None:
    assert problem_in(await put(owner, ann, "info", password=password)) == (400, "invalidPassword")
    assert await count(owner_connection) == 0


@pytest.mark.parametrize("password", ["1234567", "x" * 100, "pässwörd \N{MUSICAL SYMBOL FUSA BLACK}"])
async def test_passwords_at_the_limits(owner: httpx.AsyncClient, ann: Holder, password: str) -> None:
    assert (await put(owner, ann, "info", password=password)).status_code == 200


async def test_all_errors_are_reported_together(owner: httpx.AsyncClient, ann: Holder) -> None:
    response = await owner.put(f"{ann.path}/a%20b", json={})
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == {"user", "password"}
    assert problem_in(await owner.put(f"{ann.path}/info")) == (400, "invalidPassword")


async def test_only_the_hash_of_the_password_is_stored(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder, production_hashing: None
) -> None:
    await put(owner, ann, "info")
    row = await owner_connection.fetchrow("select m::text from mailboxes m")
    assert "$argon2id$v=19$m=19456,t=2,p=1$" in str(row)
    for table in ("mailboxes", "audit_entries", "jobs.queue"):
        rows = await owner_connection.fetch(f"select encode(convert_to(t::text, 'UTF8'), 'escape') from {table} t")
        assert PASSWORD["password"] not in str(rows)
    payloads = await owner_connection.fetch("select payload from jobs.queue")
    assert [json.loads(row["payload"]).keys() for row in payloads] == [{"brand_ref", "ref"}]


async def test_a_second_put_changes_the_password_and_is_pending_again(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder, worker: Worker, resources: Resources
) -> None:
    await put(owner, ann, "info")
    await worker.work()
    assert (await put(owner, ann, "INFO", password="battery staple")).json()["mailbox"][0]["status"] == "pending"
    [kept] = [row["password_hash"] for row in await owner_connection.fetch("select password_hash from mailboxes")]
    assert await resources.passwords.verify("battery staple", kept)
    assert not await resources.passwords.verify(PASSWORD["password"], kept)
    audited = await owner_connection.fetch("select action from audit_entries where subject = 'mailbox' order by ref")
    assert [row["action"] for row in audited] == ["create", "change password"]


@pytest.mark.parametrize("status", ["pending", "failed", "expired"])
async def test_a_domain_that_is_not_active(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder, status: str
) -> None:
    await owner_connection.execute(
        "update account_domains set status = $1, ended_at = case when $1 = 'expired' then now() end", status
    )
    assert problem_in(await put(owner, ann, "info")) == (409, "domainNotActive")
    assert problem_in(await put(owner, ann, "a%20b")) == (400, "invalidUser")
    assert await count(owner_connection) == 0


async def test_a_domain_that_is_not_the_users(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, ann: Holder
) -> None:
    bob = await make_user(owner_connection, resources, OWN_BRAND, username="bob")
    theirs = Holder(bob, ann.domain_ref)
    assert problem_in(await put(owner, theirs, "info")) == (404, "accountDomainNotFound")
    assert problem_in(await put(owner, Holder(999, ann.domain_ref), "info")) == (404, "userNotFound")
    assert problem_in(await owner.put(f"/users/{bob}/domains/abc/mailboxes/info", json=PASSWORD)) == (
        404,
        "accountDomainNotFound",
    )
    assert problem_in(await owner.get(theirs.path)) == (404, "accountDomainNotFound")


async def test_the_package_limits_a_users_mailboxes_over_all_domains(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder
) -> None:
    other = Holder(ann.user_ref, await make_account_domain(owner_connection, OWN_BRAND, ann.user_ref, "example.net"))
    await put(owner, ann, "info")
    await put(owner, other, "info")
    response = await put(owner, ann, "sales")
    assert problem_in(response) == (403, "packageLimitReached")
    assert response.json()["errors"] == {"mailboxes": {"packageLimitReached": "the package allows 2, and 2 are in use"}}
    assert (await put(owner, ann, "info", password="battery staple")).status_code == 200
    await owner.delete(f"{other.path}/info")
    assert (await put(owner, ann, "sales")).status_code == 200


async def test_the_limit_holds_for_concurrent_requests(owner: httpx.AsyncClient, ann: Holder) -> None:
    responses = await asyncio.gather(*(put(owner, ann, f"box{number}") for number in range(8)))
    assert sorted(response.status_code for response in responses) == [200] * 2 + [403] * 6
    assert len(await listed(owner, ann)) == 2


async def test_concurrent_puts_of_the_same_mailbox_create_one(owner: httpx.AsyncClient, ann: Holder) -> None:
    responses = await asyncio.gather(*(put(owner, ann, "info") for _ in range(6)))
    assert {response.status_code for response in responses} == {200}
    assert await listed(owner, ann) == {"info": "pending"}


async def test_a_smaller_package_keeps_existing_mailboxes(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder
) -> None:
    await assign_package(owner_connection, OWN_BRAND, ann.user_ref, 2)
    for number in range(3):
        assert (await put(owner, ann, f"box{number}")).status_code == 200
    await assign_package(owner_connection, OWN_BRAND, ann.user_ref, 1)
    assert problem_in(await put(owner, ann, "box3")) == (403, "packageLimitReached")
    assert (await put(owner, ann, "box0")).status_code == 200
    assert len(await listed(owner, ann)) == 3


async def test_an_anonymized_user_cannot_have_mailboxes(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder
) -> None:
    await owner_connection.execute("update users set anonymised_at = now()")
    assert problem_in(await put(owner, ann, "info")) == (409, "anonymised")


async def test_mailboxes_are_listed_under_their_domain(owner: httpx.AsyncClient, ann: Holder) -> None:
    await put(owner, ann, "info")
    response = await owner.get(f"/users/{ann.user_ref}/domains/mailboxes")
    assert response.json() == {
        "domainMailboxes": [
            {
                "accountDomainRef": ann.domain_ref,
                "domainName": DOMAIN,
                "mailboxes": [{"user": "info", "status": "pending"}],
            }
        ]
    }
