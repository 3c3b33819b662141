"""Mailboxes in Debian's Dovecot, set up as docs/operate/mail.md says: created by API calls, read by IMAP."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest

from tests.domains.mailboxes.mail_host import MailHost, blocks_of_the_guide, running_mail_host, statements_of_the_guide
from tests.domains.mailboxes.postfix import running_postfix
from tests.support.customers import done, new_user
from tests.support.debian_postgres import debian_postgres
from tests.support.eventually import eventually
from tests.support.service import Service, running_service
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system
PASSWORD, NEW_PASSWORD = "correct horse", "battery 'staple' \\ %u pässwörd"


class Stage(msgspec.Struct, frozen=True):
    """The whole service on Debian's PostgreSQL, and a mail host that reads it."""

    client: httpx.AsyncClient
    host: MailHost
    owner: OwnerConnection
    database_url: str


class Holder(msgspec.Struct, frozen=True):
    """An account holder with a domain of their own."""

    stage: Stage
    user_ref: int
    domain: str
    path: str

    def address(self, user: str = "info") -> str:
        return f"{user}@{self.domain}"

    async def put(self, user: str = "info", password: str = PASSWORD) -> None:
        """Create the mailbox or change its password, and wait until it is active."""
        await done(self.stage.client.put(f"{self.path}/{user}", json={"password": password}))
        await eventually(lambda: self._is_active(user))

    async def _is_active(self, user: str) -> bool:
        found = (await done(self.stage.client.get(self.path)))["mailboxes"]
        return {"user": user.lower(), "status": "active"} in found

    async def token(self, user: str = "info") -> str:
        token: str = (await done(self.stage.client.post(f"{self.path}/{user}/login-tokens")))["loginToken"]
        return token

    async def logs_in(self, password: str = PASSWORD, user: str = "info") -> bool:
        return await self.stage.host.logs_in(self.address(user), password)


@pytest.fixture(scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    data_dir = tmp_path_factory.mktemp("mail") / "var"
    async with debian_postgres() as url, running_service(data_dir, database_url=url, workers=1) as service:
        async for stage in _with_mail_host(service, url):
            yield stage


async def _with_mail_host(service: Service, url: str) -> AsyncIterator[Stage]:
    owner = await asyncpg.connect(url)
    await owner.execute(statements_of_the_guide())
    async with running_mail_host(url) as host, service.client() as client:
        yield Stage(client, host, owner, url)
    await owner.close()


@pytest.fixture
async def ann(stage: Stage, request: pytest.FixtureRequest) -> Holder:
    """A separate one for each test."""
    name = f"u{abs(hash(request.node.name)) % 10**12}"
    user_ref = (await done(stage.client.post("/users", json=new_user(username=name))))["accountHolder"]["ref"]
    order = {"domainName": f"{name}.com", "packageRef": 4}
    domain = (await done(stage.client.post(f"/users/{user_ref}/account-domains", json=order)))["accountDomain"]
    await eventually(lambda: _is_registered(stage, domain["ref"]))
    return Holder(stage, user_ref, domain["domainName"], f"/users/{user_ref}/domains/{domain['ref']}/mailboxes")


async def _is_registered(stage: Stage, ref: int) -> bool:
    active: int = (await done(stage.client.get(f"/account-domains/{ref}")))["accountDomain"]["active"]
    return active == 1


def test_the_guide_has_every_file() -> None:
    assert [Path(path).name for path in blocks_of_the_guide()] == [
        "dovecot.conf",
        "sitewright-mailboxes.conf",
        "sitewright-tokens.conf",
        "main.cf",
        "master.cf",
        "sitewright-domains.cf",
        "sitewright-mailboxes.cf",
        "sitewright-senders.cf",
        "sitewright-removed-mail",
    ]


async def test_only_the_password_logs_in(ann: Holder) -> None:
    assert not await ann.logs_in()
    await ann.put()
    assert await ann.logs_in()
    assert await ann.stage.host.logs_in(ann.address("INFO").upper(), PASSWORD)
    for wrong in ("wrong horse", PASSWORD.upper(), "", "{ARGON2ID}", "' or ''='"):
        assert not await ann.logs_in(wrong)
    assert not await ann.logs_in(user="sales")
    assert not await ann.stage.host.logs_in("info", PASSWORD)
    assert not await ann.stage.host.logs_in("info@elsewhere.example", PASSWORD)


async def test_a_name_with_a_plus_is_a_separate_mailbox(ann: Holder) -> None:
    await ann.put()
    await ann.put("info+shop", NEW_PASSWORD)
    assert await ann.logs_in(NEW_PASSWORD, "info+shop")
    assert not await ann.logs_in(PASSWORD, "info+shop")
    await ann.stage.host.deliver(ann.address("info+shop"), "For the shop")
    assert await ann.stage.host.subjects(ann.address("info+shop"), NEW_PASSWORD) == ["Subject: For the shop"]
    assert await ann.stage.host.subjects(ann.address(), PASSWORD) == []


async def test_a_token_logs_in_once(ann: Holder) -> None:
    await ann.put()
    token = await ann.token()
    assert not await ann.stage.host.logs_in(ann.address("sales"), token)
    assert await ann.logs_in(token)
    assert not await ann.logs_in(token)
    assert await ann.logs_in()


async def test_of_concurrent_log_ins_with_a_token_one_succeeds(ann: Holder) -> None:
    await ann.put()
    token = await ann.token()
    assert sorted(await asyncio.gather(*(ann.logs_in(token) for _ in range(8)))) == [False] * 7 + [True]


async def test_a_token_expires_after_an_hour(ann: Holder) -> None:
    await ann.put()
    token = await ann.token()
    left = await ann.stage.owner.fetchval("select max(expires_at) - now() from mailbox_login_tokens")
    assert 3500 < left.total_seconds() <= 3600
    await ann.stage.owner.execute("update mailbox_login_tokens set expires_at = now()")
    assert not await ann.logs_in(token)


async def test_after_a_change_only_the_new_password_logs_in(ann: Holder) -> None:
    await ann.put()
    token = await ann.token()
    await ann.put(password=NEW_PASSWORD)
    assert not await ann.logs_in(PASSWORD)
    assert not await ann.logs_in(token)
    assert await ann.logs_in(NEW_PASSWORD)


@pytest.mark.parametrize("status", ["pending", "failed"])
async def test_inactive_mailboxes_refuse_log_ins(ann: Holder, status: str) -> None:
    await ann.put()
    token = await ann.token()
    await ann.stage.owner.execute("update mailboxes set status = $1", status)
    assert not await ann.logs_in()
    assert not await ann.logs_in(token)
    await ann.stage.owner.execute("update mailboxes set status = 'active'")
    assert await ann.logs_in(token)


async def test_mailboxes_of_suspended_or_deleted_holders_refuse_log_ins(ann: Holder) -> None:
    await ann.put()
    token, user = await ann.token(), f"/users/{ann.user_ref}"
    await done(ann.stage.client.post(f"{user}/suspend"))
    assert not await ann.logs_in()
    await done(ann.stage.client.post(f"{user}/unsuspend"))
    assert (await ann.logs_in(token), await ann.logs_in()) == (False, True)
    await done(ann.stage.client.delete(user))
    assert not await ann.logs_in()
    await done(ann.stage.client.put(user, json={"deleted": 0}))
    assert await ann.logs_in()


async def test_mailboxes_of_inactive_domains_refuse_log_ins(ann: Holder) -> None:
    await ann.put()
    await ann.stage.owner.execute("update account_domains set status = 'failed' where domain = $1", ann.domain)
    assert not await ann.logs_in()


async def test_the_mail_of_a_deleted_mailbox_is_not_accessible(ann: Holder) -> None:
    await ann.put()
    token = await ann.token()
    await ann.stage.host.deliver(ann.address(), "A secret")
    assert await ann.stage.host.subjects(ann.address(), PASSWORD) == ["Subject: A secret"]
    assert (await ann.stage.client.delete(f"{ann.path}/info")).status_code == 204
    assert (await ann.logs_in(), await ann.logs_in(token)) == (False, False)
    await ann.put()
    assert await ann.stage.host.subjects(ann.address(), PASSWORD) == []


async def test_postfix_looks_up_domains_mailboxes_and_senders(ann: Holder) -> None:
    host = ann.stage.host
    assert await host.postfix_finds("domains", ann.domain) == ""
    await ann.put()
    assert await host.postfix_finds("domains", ann.domain.upper()) == ann.domain
    assert (await host.postfix_finds("mailboxes", ann.address("INFO"))).startswith("1/")
    assert await host.postfix_finds("mailboxes", ann.address("sales")) == ""
    assert await host.postfix_finds("senders", ann.address()) == ann.address()
    await done(ann.stage.client.post(f"/users/{ann.user_ref}/suspend"))
    assert await host.postfix_finds("mailboxes", ann.address()) != ""
    assert await host.postfix_finds("senders", ann.address()) == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run Postfix")
async def test_mail_is_received_and_sent_through_postfix(ann: Holder) -> None:
    await ann.put()
    await ann.put("info+shop", NEW_PASSWORD)
    host, login = ann.stage.host, (ann.address(), PASSWORD)
    async with running_postfix(host) as postfix_server:
        assert await postfix_server.send_from_outside(ann.address("Info"), "From outside") == "accepted"
        assert "User unknown" in await postfix_server.send_from_outside(ann.address("sales"), "For nobody")
        assert "User unknown" in await postfix_server.send_from_outside(ann.address("info+other"), "For nobody")
        assert "Relay access denied" in await postfix_server.send_from_outside(
            "someone@elsewhere.example", "Through us"
        )
        assert await postfix_server.send(login, ann.address(), ann.address("info+shop"), "For the shop") == "accepted"
        assert "not owned" in await postfix_server.send(login, ann.address("info+shop"), ann.address(), "As another")
        assert (
            await postfix_server.send((ann.address(), "wrong horse"), ann.address(), ann.address(), "")
            == "log-in refused"
        )
        token = await ann.token()
        assert await postfix_server.send((ann.address(), token), ann.address(), ann.address(), "") == "log-in refused"
        assert await ann.logs_in(token)
        await eventually(lambda: host.subjects(ann.address(), PASSWORD))
        await eventually(lambda: host.subjects(ann.address("info+shop"), NEW_PASSWORD))
    assert await host.subjects(ann.address(), PASSWORD) == ["Subject: From outside"]
    assert await host.subjects(ann.address("info+shop"), NEW_PASSWORD) == ["Subject: For the shop"]


async def test_mail_of_removed_mailboxes_is_deleted_after_30_days(ann: Holder) -> None:
    homes = [await _home_with_mail(ann, user) for user in ("info", "sales")]
    await done(ann.stage.client.delete(f"{ann.path}/info"))
    await _delete_removed_mail(ann.stage.host)
    assert [home.exists() for home in homes] == [True, True]
    await ann.stage.owner.execute("update removed_mailboxes set removed_at = now() - interval '31 days'")
    await _delete_removed_mail(ann.stage.host)
    assert [home.exists() for home in homes] == [False, True]


async def _home_with_mail(ann: Holder, user: str) -> Path:
    await ann.put(user)
    await ann.stage.host.deliver(ann.address(user), "Hello")
    return ann.stage.host.file("/var/vmail") / await ann.stage.host.postfix_finds("mailboxes", ann.address(user))


async def _delete_removed_mail(host: MailHost) -> None:
    process = await asyncio.create_subprocess_exec("sh", str(host.file("/usr/local/sbin/sitewright-removed-mail")))
    assert await asyncio.wait_for(process.wait(), HANG_SECONDS) == 0


async def test_the_mail_server_sees_nothing_else(stage: Stage) -> None:
    server: Any = await asyncpg.connect(stage.database_url.replace("owner@", "mail_login@"))
    assert await server.fetchval("select count(*) from mail_server.logins") >= 0
    forbidden = ["select * from users", "select * from mailboxes", "select * from mailbox_login_tokens"]
    forbidden += ["delete from mail_server.removed_homes", "select * from jobs.queue", "select all_mailboxes(false, 1)"]
    for statement in forbidden:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await server.execute(statement)
    await server.close()
