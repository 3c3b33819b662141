"""From pending to active or failed, with refusals, errors and concurrent changes."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from sitewright.domains.mailboxes.errors import MailboxNotFound
from sitewright.domains.mailboxes.jobs import MAX_ATTEMPTS, MAX_REASON
from sitewright.domains.mailboxes.mail_server import MailServerRefused
from sitewright.domains.mailboxes.operating.service import list_mailboxes, retry
from sitewright.kit.resources import Resources
from tests.domains.mailboxes.conftest import DOMAIN, Holder, RecordingServer, listed, put
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.queued import Worker
from tests.support.service import run_command
from tests.support.users import OwnerConnection

FULL = MailServerRefused("the disk is full")


async def failed(resources: Resources) -> list[tuple[str, int, str | None]]:
    found = await list_mailboxes(resources, failed_only=True, limit=100)
    return [(f"{each.name}@{each.domain}", each.attempts, each.reason) for each in found]


async def queue(owner: OwnerConnection, entrypoint: str, payload: bytes) -> None:
    """A job that is queued again."""
    await owner.execute(
        "insert into jobs.queue (priority, entrypoint, payload, status) values (0, $1, $2, 'queued')",
        entrypoint,
        payload,
    )


async def test_the_mail_server_receives_address_and_password(
    owner: httpx.AsyncClient, resources: Resources, ann: Holder, worker: Worker, server: RecordingServer
) -> None:
    await put(owner, ann, "info")
    await worker.work()
    [(address, password_hash)] = server.known.values()
    assert address == f"info@{DOMAIN}"
    assert await resources.passwords.verify("correct horse", password_hash)


async def test_a_refusal_is_final_and_the_operator_sees_why(
    owner: httpx.AsyncClient, resources: Resources, ann: Holder, worker: Worker, server: RecordingServer
) -> None:
    server.error = FULL
    await put(owner, ann, "info")
    await worker.work()
    assert await listed(owner, ann) == {"info": "failed"}
    assert await failed(resources) == [(f"info@{DOMAIN}", 1, "the disk is full")]


async def test_other_errors_are_retried_before_the_mailbox_fails(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    ann: Holder,
    worker: Worker,
    server: RecordingServer,
) -> None:
    server.error = OSError("no route to host" + "!" * 1000)
    await put(owner, ann, "info")
    [job] = await owner_connection.fetch("select entrypoint, payload from jobs.queue")
    for _ in range(MAX_ATTEMPTS - 1):
        await queue(owner_connection, *job)
        await owner_connection.execute("delete from jobs.queue where id <> (select max(id) from jobs.queue)")
        with pytest.raises(OSError, match="no route"):
            await worker.work()
        assert await listed(owner, ann) == {"info": "pending"}
    await queue(owner_connection, *job)
    await worker.work()
    [(_, attempts, reason)] = await failed(resources)
    assert (attempts, len(reason or "")) == (MAX_ATTEMPTS, MAX_REASON)


async def test_a_new_password_restarts_provisioning(
    owner: httpx.AsyncClient, resources: Resources, ann: Holder, worker: Worker, server: RecordingServer
) -> None:
    server.error = FULL
    await put(owner, ann, "info")
    await worker.work()
    server.error = None
    await put(owner, ann, "info")
    await worker.work()
    assert await listed(owner, ann) == {"info": "active"}
    assert await failed(resources) == []


async def test_a_password_changed_meanwhile_wins(
    owner: httpx.AsyncClient, resources: Resources, ann: Holder, worker: Worker, server: RecordingServer
) -> None:
    async def change() -> None:
        await put(owner, ann, "info", password="battery staple")
        await worker.work()

    server.during_call = change
    await put(owner, ann, "info")
    await worker.work()
    assert await listed(owner, ann) == {"info": "active"}
    [(_, known)] = server.known.values()
    assert await resources.passwords.verify("battery staple", known)


async def test_a_mailbox_deleted_meanwhile_stays_deleted(
    owner: httpx.AsyncClient, ann: Holder, worker: Worker, server: RecordingServer
) -> None:
    async def delete() -> None:
        await owner.delete(f"{ann.path}/info")
        await worker.work()

    server.during_call = delete
    await put(owner, ann, "info")
    await worker.work()
    assert server.known == {}


async def test_a_repeated_job_is_idempotent(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    ann: Holder,
    worker: Worker,
    server: RecordingServer,
) -> None:
    await put(owner, ann, "info")
    [job] = await owner_connection.fetch("select entrypoint, payload from jobs.queue")
    await worker.work()
    before = await owner_connection.fetchrow("select * from mailboxes")
    await queue(owner_connection, *job)
    await worker.work()
    assert await owner_connection.fetchrow("select * from mailboxes") == before


async def test_the_operator_retries_all_one_or_a_brands(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    ann: Holder,
    worker: Worker,
    server: RecordingServer,
) -> None:
    server.error = FULL
    await put(owner, ann, "info")
    await put(owner, ann, "sales")
    await worker.work()
    server.error = None
    ref = (await list_mailboxes(resources, failed_only=True, limit=1))[0].ref
    assert await retry(resources, TESTER, OTHER_BRAND, None) == 0
    assert await retry(resources, TESTER, None, ref) == 1
    await worker.work()
    with pytest.raises(MailboxNotFound, match="not active"):
        await retry(resources, TESTER, None, ref)
    assert await retry(resources, TESTER, OWN_BRAND, None) == 1
    await worker.work()
    assert set((await listed(owner, ann)).values()) == {"active"}
    audited = await owner_connection.fetchval("select count(*) from audit_entries where action = 'retry'")
    assert audited == 2


async def test_the_commands(tmp_path: Path, database_url: str, clean: None) -> None:
    settings: dict[str, Any] = {"database_url": database_url}
    code, output = await run_command(tmp_path, "mailboxes", "list", "--failed", **settings)
    assert (code, "address" in output) == (0, True)
    code, output = await run_command(tmp_path, "mailboxes", "retry", "17", **settings)
    assert (code, "sitewright mailboxes list" in output) == (1, True)
    code, output = await run_command(tmp_path, "mailboxes", "retry", **settings)
    assert (code, "Provisioning 0 mailboxes again." in output) == (0, True)
