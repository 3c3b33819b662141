"""Operating mail: `sitewright mail`, `doctor` and pruning."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sitewright.kit import clock
from sitewright.kit.housekeeping import SCHEDULES
from sitewright.kit.mail.operating import FailedMailNotFound, retry
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox, sender
from tests.mail.smtp_server import SmtpServer
from tests.support.cast import OTHER_BRAND, TESTER
from tests.support.due_mails import send_due_mails
from tests.support.service import free_port, run_command
from tests.support.users import OwnerConnection


async def run_retry(resources: Resources, brand_ref: int | None = None, ref: int | None = None) -> int:
    async with resources.database.transaction(None) as tx:
        return len(await retry(tx, TESTER, brand_ref, ref))


async def fail(resources: Resources, server: SmtpServer, response: str = "550 never") -> None:
    server.at_recipient = lambda _: response
    await send_due_mails(sender(resources, server))
    server.at_recipient = lambda _: None


async def test_dead_letters_can_be_retried(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, owner_connection: OwnerConnection
) -> None:
    await enqueue("ann", "renewed", {"package": "Pro"})
    await enqueue("bob", "renewed", brand_ref=OTHER_BRAND)
    await fail(resources, smtp_server)
    ann, bob = [row["ref"] for row in await outbox()]
    assert await run_retry(resources, OTHER_BRAND) == 1
    assert await run_retry(resources, None, ann) == 1
    await send_due_mails(sender(resources, smtp_server))
    assert sorted(smtp_server.recipients) == ["ann@mail.example", "bob@mail.example"]
    assert "Pro" in next(each for each in smtp_server.arrived if "ann" in each.recipient).part("plain")
    audited = await owner_connection.fetch(
        "select actor, action, subject_ref from audit_entries where subject = 'mail'"
    )
    assert [tuple(row) for row in audited] == [("test", "retry", None), ("test", "retry", ann)]
    with pytest.raises(FailedMailNotFound):
        await run_retry(resources, None, bob)


async def test_waiting_mails_can_be_sent_now_but_not_leased_ones(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await enqueue("ann", "renewed")
    await enqueue("bob", "renewed")
    await owner_connection.execute(
        "update mails set next_attempt_at = now() + interval '6 hours', attempts = 6"
        " where ref = (select min(ref) from mails)"
    )
    await owner_connection.execute(
        "update mails set next_attempt_at = now() + interval '4 minutes', attempts = 1"
        " where ref = (select max(ref) from mails)"
    )
    assert await run_retry(resources) == 1
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.recipients == ["ann@mail.example"]


async def test_mails_with_secrets_or_of_deleted_users_cannot_be_retried(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await enqueue("ann", "passwordReset", {"links": []})
    await enqueue("bob", "renewed")
    await owner_connection.execute("update users set deleted_at = now() where username = 'bob'")
    await fail(resources, smtp_server)
    assert await run_retry(resources) == 0


async def test_mails_are_pruned_after_30_days_unless_they_are_pending(
    resources: Resources, enqueue: Enqueue, owner_connection: OwnerConnection, outbox: Outbox
) -> None:
    for name in ("sent", "failed", "waits", "fresh"):
        await enqueue(name, "renewed")
    refs = {name: row["ref"] for name, row in zip(("sent", "failed", "waits", "fresh"), await outbox(), strict=True)}
    old = clock.now() - timedelta(days=31)
    await owner_connection.execute("update mails set created_at = $1 where ref <> $2", old, refs["fresh"])
    await owner_connection.execute(
        "update mails set sent_at = $1 where ref = any($2)", old, [refs["sent"], refs["fresh"]]
    )
    await owner_connection.execute("update mails set failed_at = $1 where ref = $2", old, refs["failed"])
    [schedule] = [each for each in SCHEDULES if each.name == "prune-mails"]
    await schedule.run(resources)
    assert [row["ref"] for row in await outbox()] == [refs["waits"], refs["fresh"]]


async def test_the_commands(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, database_url: str
) -> None:
    await enqueue("ann", "renewed")
    await fail(resources, smtp_server, "550 [no such] mailbox <ann@mail.example>")
    await enqueue("bob", "welcome")
    ref = (await outbox())[0]["ref"]

    async def run(*arguments: str) -> tuple[int, str]:
        return await run_command(resources.settings.data_path, "mail", *arguments, database_url=database_url)

    code, listed = await run("list")
    assert (code, "welcome" in listed, "renewed" in listed, "waits until" in listed) == (0, True, True, True)
    code, listed = await run("list", "--failed")
    assert (code, "welcome" in listed, "550 [no such] mailbox <<address>>" in listed) == (0, False, True)
    assert await run("retry", str(ref), "--brand", "2") == (1, f"sitewright: {FailedMailNotFound.detail}\n")
    assert await run("retry", str(ref), "--brand", "1") == (0, "Sending 1 mail again.\n")
    assert await run("retry") == (0, "Sending 0 mails again.\n")


@pytest.mark.parametrize(("is_there", "expected"), [(True, "ok    mail server"), (False, "wrong mail server")])
async def test_the_doctor_checks_the_mail_server(
    tmp_path: Path, smtp_server: SmtpServer, database_url: str, is_there: bool, expected: str
) -> None:
    chosen: dict[str, Any] = {"api_port": free_port(), "site_port": free_port(), "database_url": database_url}
    chosen |= {"smtp_host": "127.0.0.1", "smtp_security": "none"}
    port = smtp_server.port if is_there else free_port()
    _, output = await run_command(tmp_path, "doctor", smtp_port=port, **chosen)
    assert f"{expected} 127.0.0.1 port {port}" in output
    assert ("Check the settings smtp_*" in output) != is_there
    assert smtp_server.arrived == []
