"""Login tokens and the views, queried under the mail server's role. test_dovecot.py uses a real mail server."""

import asyncio
import hashlib
from collections.abc import AsyncIterator

import asyncpg
import httpx
import pytest

from tests.domains.mailboxes.conftest import DOMAIN, Holder, put
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

TAKE = "select name || '@' || domain from mail_server.take_login_token($1, $2, $3)"

LOGIN = "select password from mail_server.logins where name = 'info' and domain = '77.example'"
MANY = """
insert into account_domains (brand_ref, user_ref, domain, package_ref, account_package_ref, dns_provider_ref, status,
                             registered_at, expires_at, updated_at)
select brand_ref, user_ref, number || '.example', package_ref, account_package_ref, dns_provider_ref, 'active',
       now(), now(), now()
  from account_domains, generate_series(1, 3000) number;
insert into mailboxes (brand_ref, account_domain_ref, name, password_hash, status, created_at, updated_at)
select brand_ref, ref, 'info', '', 'active', now(), now() from account_domains;
analyze account_domains, mailboxes
"""


@pytest.fixture
async def mail_server(database_url: str, clean: None) -> AsyncIterator[OwnerConnection]:
    connection = await asyncpg.connect(database_url, server_settings={"role": "sitewright_mail"})
    yield connection
    await connection.close()


@pytest.fixture
async def info(owner: httpx.AsyncClient, ann: Holder, worker: Worker) -> str:
    """The path of an active mailbox."""
    await put(owner, ann, "info")
    await worker.work()
    return f"{ann.path}/info"


async def issued(client: httpx.AsyncClient, path: str) -> str:
    response = await client.post(f"{path}/login-tokens")
    assert (response.status_code, list(response.json())) == (200, ["loginToken"])
    token: str = response.json()["loginToken"]
    return token


async def take(server: OwnerConnection, token: str, name: str = "info", domain: str = DOMAIN) -> str | None:
    address: str | None = await server.fetchval(TAKE, name, domain, hashlib.sha256(token.encode()).hexdigest())
    return address


async def test_a_token_has_256_bits_and_is_stored_as_its_digest(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, info: str
) -> None:
    token, another = await issued(owner, info), await issued(owner, info)
    assert token != another
    assert len(token.partition("-")[2]) == 43
    rows = str(await owner_connection.fetch("select * from mailbox_login_tokens"))
    assert token not in rows
    assert str(hashlib.sha256(token.encode()).digest()) in rows
    assert token not in str(await owner_connection.fetch("select * from audit_entries"))


async def test_it_is_accepted_once_for_its_own_mailbox(
    owner: httpx.AsyncClient, mail_server: OwnerConnection, info: str
) -> None:
    token = await issued(owner, info)
    assert await take(mail_server, token, name="sales") is None
    assert await take(mail_server, token, domain="elsewhere.example") is None
    assert await take(mail_server, token + "x") is None
    assert await take(mail_server, token) == f"info@{DOMAIN}"
    assert await take(mail_server, token) is None


async def test_of_concurrent_uses_one_succeeds(owner: httpx.AsyncClient, database_url: str, info: str) -> None:
    token = await issued(owner, info)
    async with asyncpg.create_pool(
        database_url, min_size=8, max_size=8, server_settings={"role": "sitewright_mail"}
    ) as pool:
        digest = hashlib.sha256(token.encode()).hexdigest()
        taken = await asyncio.gather(*(pool.fetchval(TAKE, "info", DOMAIN, digest) for _ in range(32)))
    assert sorted(taken, key=str) == [None] * 31 + [f"info@{DOMAIN}"]


async def test_it_expires(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, mail_server: OwnerConnection, info: str
) -> None:
    token = await issued(owner, info)
    await owner_connection.execute("update mailbox_login_tokens set expires_at = now()")
    assert await take(mail_server, token) is None
    await issued(owner, info)
    assert await owner_connection.fetchval("select count(*) from mailbox_login_tokens") == 1


@pytest.mark.parametrize(
    "change",
    [
        "update mailboxes set status = 'pending'",
        "update mailboxes set status = 'failed'",
        "update account_domains set status = 'failed'",
        "update account_domains set status = 'expired', ended_at = now()",
        "update users set suspended_at = now()",
        "update users set deleted_at = now()",
        "update users set anonymised_at = now()",
        "delete from mailboxes",
    ],
)
async def test_log_in_needs_an_active_mailbox_domain_and_user(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    mail_server: OwnerConnection,
    info: str,
    change: str,
) -> None:
    token = await issued(owner, info)
    assert await mail_server.fetchval("select password from mail_server.logins") is not None
    await owner_connection.execute(change)
    assert await mail_server.fetchval("select password from mail_server.logins") is None
    assert await take(mail_server, token) is None


async def test_suspended_users_and_pending_mailboxes_receive_mail_but_deleted_users_do_not(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, mail_server: OwnerConnection, info: str
) -> None:
    statement = "select (select domain from mail_server.domains) = domain from mail_server.mailboxes"
    await owner_connection.execute("update mailboxes set status = 'pending'")
    await owner_connection.execute("update users set suspended_at = now()")
    assert await mail_server.fetchval(statement) is True
    await owner_connection.execute("update users set deleted_at = now()")
    assert await mail_server.fetchval(statement) is None
    assert await mail_server.fetchval("select count(*) from mail_server.domains") == 0


async def test_a_suspension_revokes_tokens(
    owner: httpx.AsyncClient, mail_server: OwnerConnection, ann: Holder, info: str
) -> None:
    token = await issued(owner, info)
    await owner.post(f"/users/{ann.user_ref}/suspend")
    assert problem_in(await owner.post(f"{info}/login-tokens")) == (403, "userSuspended")
    await owner.post(f"/users/{ann.user_ref}/unsuspend")
    assert await take(mail_server, token) is None


async def test_a_new_password_and_a_deletion_revoke_tokens(
    owner: httpx.AsyncClient, mail_server: OwnerConnection, ann: Holder, info: str, worker: Worker
) -> None:
    first = await issued(owner, info)
    await put(owner, ann, "info")
    await worker.work()
    second = await issued(owner, info)
    await owner.delete(info)
    await put(owner, ann, "info")
    await worker.work()
    assert (await take(mail_server, first), await take(mail_server, second)) == (None, None)


async def test_no_token_is_issued_for_an_inactive_mailbox_or_domain(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder, info: str
) -> None:
    await put(owner, ann, "info")
    assert problem_in(await owner.post(f"{info}/login-tokens")) == (409, "mailboxNotActive")
    await owner_connection.execute("update account_domains set status = 'pending'")
    assert problem_in(await owner.post(f"{info}/login-tokens")) == (409, "domainNotActive")
    assert problem_in(await owner.post(f"{ann.path}/sales/login-tokens")) == (404, "mailboxNotFound")


async def test_the_mail_servers_role_sees_nothing_else(mail_server: OwnerConnection) -> None:
    forbidden = ["users", "mailboxes", "mailbox_login_tokens", "account_domains", "removed_mailboxes", "jobs.queue"]
    for table in forbidden:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await mail_server.fetch(f"select * from {table}")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await mail_server.execute("delete from mail_server.removed_homes")


async def test_mailboxes_are_looked_up_by_indexes(owner_connection: OwnerConnection, ann: Holder) -> None:
    transaction = owner_connection.transaction()
    await transaction.start()
    try:
        await owner_connection.execute(MANY)
        await owner_connection.execute("set local role sitewright_mail")
        plan = await owner_connection.fetch("explain " + LOGIN)
    finally:
        await transaction.rollback()
    assert "account_domains_by_name" in str(plan)
    assert "Seq Scan on mailboxes" not in str(plan)
