"""Servers that fail, stall and reject: no mail is lost, and a failing mail does not delay others."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sitewright.kit import clock
from sitewright.kit.mail import sending
from sitewright.kit.mail.eml import FolderTransport
from sitewright.kit.mail.outcomes import BACK_OFF, LEASE, MailOutcomes
from sitewright.kit.mail.preparing import prepare
from sitewright.kit.mail.store import claim
from sitewright.kit.mail.transports import OutgoingMail
from sitewright.kit.outbox import JITTER
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox, sender
from tests.mail.smtp_server import SmtpServer, run_smtp_server
from tests.support.due_mails import send_due_mails
from tests.support.service import free_port
from tests.support.users import OwnerConnection

NAMES = ["ann", "bob", "cid", "dee"]


async def enqueue_all(enqueue: Enqueue) -> None:
    for name in NAMES:
        await enqueue(name, "renewed")


def names_of(server: SmtpServer) -> list[str]:
    return [recipient.partition("@")[0] for recipient in server.recipients]


def assert_retried_later(row: dict[str, Any], attempts: int) -> None:
    assert (row["sent_at"], row["failed_at"], row["attempts"]) == (None, None, attempts)
    assert row["facts"] is not None
    wait = BACK_OFF.delays[attempts - 1]
    assert wait * (1 - JITTER) - timedelta(seconds=5) < row["next_attempt_at"] - clock.now() <= wait * (1 + JITTER)


async def test_a_temporary_error_is_retried_with_back_off(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue()
    smtp_server.at_recipient = lambda _: "451 4.7.1 greylisted, come back later"
    await send_due_mails(sender(resources, smtp_server))
    [row] = await outbox()
    assert_retried_later(row, 1)
    assert row["last_error"] == "451 4.7.1 greylisted, come back later"
    smtp_server.at_recipient = lambda _: None
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.arrived == []
    clock.shift(12)
    await send_due_mails(sender(resources, smtp_server))
    [row] = await outbox()
    assert (names_of(smtp_server), row["attempts"], row["last_error"]) == (["ann"], 2, None)


async def test_a_mail_is_dead_lettered_after_its_last_attempt(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue()
    smtp_server.at_data = lambda _: "452 4.3.1 out of storage"
    passed = 0.0
    for number, wait in enumerate(BACK_OFF.delays, start=1):
        await send_due_mails(sender(resources, smtp_server))
        assert_retried_later((await outbox())[0], number)
        passed += wait.total_seconds() * 1.2
        clock.shift(passed)
    await send_due_mails(sender(resources, smtp_server))
    [row] = await outbox()
    assert (row["failed_at"] is not None, row["attempts"]) == (True, 9)
    assert row["last_error"] == "452 4.3.1 out of storage"
    clock.shift(passed * 2)
    await send_due_mails(sender(resources, smtp_server))
    assert (await outbox())[0]["attempts"] == 9


async def test_a_refused_connection_delays_all_mails_and_loses_none(
    resources: Resources, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue_all(enqueue)
    port = free_port()
    await send_due_mails(sender(resources, SmtpServer(port)))
    for row in await outbox():
        assert_retried_later(row, 1)
        assert f"Error connecting to 127.0.0.1 on port {port}" in row["last_error"]
    clock.shift(12)
    with run_smtp_server(port=port) as server:
        await send_due_mails(sender(resources, server))
    assert sorted(names_of(server)) == NAMES


async def test_after_a_lost_connection_the_rest_is_sent_on_a_new_one(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue_all(enqueue)
    smtp_server.hangs_up_at = {"bob@mail.example"}
    await send_due_mails(sender(resources, smtp_server))
    assert (names_of(smtp_server), smtp_server.connections) == (["ann", "cid", "dee"], 2)
    assert_retried_later((await outbox())[1], 1)
    smtp_server.hangs_up_at = set()
    clock.shift(12)
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["ann", "cid", "dee", "bob"]


async def test_after_repeated_lost_connections_the_batch_is_retried_later(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue_all(enqueue)
    smtp_server.hangs_up_at = {"ann@mail.example", "bob@mail.example"}
    await send_due_mails(sender(resources, smtp_server))
    assert (smtp_server.arrived, smtp_server.connections) == ([], 2)
    for row in await outbox():
        assert_retried_later(row, 1)


async def test_a_server_that_closes_the_session_within_a_batch(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue_all(enqueue)
    smtp_server.at_recipient = lambda address: "421 closing" if address.startswith("bob") else None
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["ann", "cid", "dee"]
    assert (await outbox())[1]["last_error"] == "421 closing"


async def test_a_stalled_mail_times_out_and_the_others_are_sent(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue_all(enqueue)
    smtp_server.stalls_at = {"bob@mail.example"}
    await send_due_mails(sender(resources, smtp_server, smtp_timeout_seconds=1))
    assert names_of(smtp_server) == ["ann", "cid", "dee"]
    row = (await outbox())[1]
    assert_retried_later(row, 1)
    assert row["last_error"] == "no response from the server for 1 s"


async def test_a_server_that_accepts_and_is_silent_costs_one_timeout(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue_all(enqueue)
    smtp_server.is_silent = True
    await send_due_mails(sender(resources, smtp_server, smtp_timeout_seconds=1))
    assert smtp_server.connections == 1
    assert [row["last_error"] for row in await outbox()] == ["no response from the server for 1 s"] * 4
    smtp_server.is_silent = False
    clock.shift(12)
    await send_due_mails(sender(resources, smtp_server))
    assert sorted(names_of(smtp_server)) == NAMES


async def test_a_slow_batch_releases_the_rest(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    await enqueue_all(enqueue)
    monkeypatch.setattr("sitewright.kit.mail.sending.BATCH_SECONDS", -1)
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.arrived == []
    assert [row["attempts"] for row in await outbox()] == [0] * 4
    monkeypatch.undo()
    await send_due_mails(sender(resources, smtp_server))
    assert sorted(names_of(smtp_server)) == NAMES


@pytest.mark.parametrize("where", ["at_recipient", "at_data"])
async def test_a_rejected_mail_is_dead_lettered_with_the_reason_without_the_address(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, where: str
) -> None:
    await enqueue_all(enqueue)
    response = "550 5.1.1 <bob@mail.example>: see https://mail.example/why?bob"
    setattr(smtp_server, where, lambda address: response if address.startswith("bob") else None)
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["ann", "cid", "dee"]
    row = (await outbox())[1]
    assert (row["failed_at"] is not None, row["attempts"]) == (True, 1)
    assert row["last_error"] == "550 5.1.1 <<address>>: see <link>"
    assert smtp_server.connections == 1


@pytest.mark.parametrize(
    ("where", "response"),
    [("at_recipient", "530 5.7.0 Authentication required"), ("at_sender", "553 5.7.1 not your address")],
)
async def test_errors_of_log_in_or_sender_are_retried(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, where: str, response: str
) -> None:
    await enqueue()
    setattr(smtp_server, where, lambda _: response)
    await send_due_mails(sender(resources, smtp_server))
    [row] = await outbox()
    assert_retried_later(row, 1)
    assert row["last_error"].endswith(response)


@pytest.mark.parametrize("column", ["deleted_at", "anonymised_at"])
async def test_deleted_and_anonymized_users_get_no_mail(
    resources: Resources,
    smtp_server: SmtpServer,
    enqueue: Enqueue,
    outbox: Outbox,
    owner_connection: OwnerConnection,
    column: str,
) -> None:
    await enqueue("ann", "renewed")
    await enqueue("bob", "renewed")
    await owner_connection.execute(f"update users set {column} = now() where username = 'ann'")
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["bob"]
    row = (await outbox())[0]
    assert (row["failed_at"] is not None, row["facts"]) == (True, None)
    assert row["last_error"] == "the account holder is deleted or anonymized"


@pytest.mark.parametrize(("kind", "hours"), [("passwordReset", 1), ("verification", 24)])
async def test_a_mail_with_an_expired_link_is_dropped(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, kind: str, hours: int
) -> None:
    await enqueue("ann", kind, {"url": "https://northwind.example/?t=1"})
    clock.shift(hours * 3600 - 60)
    await enqueue("bob", kind, {"url": "https://northwind.example/?t=1"})
    clock.shift(hours * 3600 + 60)
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["bob"]
    row = (await outbox())[0]
    assert (row["last_error"], row["facts"]) == ("its link has expired", None)


@pytest.mark.parametrize(
    "address", ["no at", "a@b\r\nBcc: all@mail.example", "a@mail.example, b@mail.example", "@b.example"]
)
async def test_an_invalid_address_is_dead_lettered(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, address: str
) -> None:
    await enqueue(email=address)
    await enqueue("bob")
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["bob"]
    assert (await outbox())[0]["last_error"] == "the address is not a valid e-mail address"


async def test_a_mail_that_cannot_be_rendered_stops_no_other(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, owner_connection: OwnerConnection
) -> None:
    """Sealed with another key, or of a kind that only a newer release knows."""
    await enqueue_all(enqueue)
    await owner_connection.execute("update mails set facts = 'x' where ref = (select min(ref) from mails)")
    await owner_connection.execute("update mails set kind = 'newer' where ref = (select max(ref) from mails)")
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["bob", "cid"]
    rows = await outbox()
    assert_retried_later(rows[0], 1)
    assert_retried_later(rows[3], 1)
    assert rows[0]["last_error"] == "it cannot be rendered: MasterKeyError"


async def test_an_abandoned_claim_ends_with_its_lease(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue
) -> None:
    await enqueue()
    async with resources.database.connection() as connection:
        assert len(await claim(connection, clock.now(), clock.now() + LEASE, 50)) == 1
    await send_due_mails(sender(resources, smtp_server))
    clock.shift(LEASE.total_seconds() - 5)
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.arrived == []
    clock.shift(LEASE.total_seconds() + 1)
    await send_due_mails(sender(resources, smtp_server))
    assert names_of(smtp_server) == ["ann"]


async def test_the_message_id_is_the_same_for_every_attempt(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await enqueue()
    await send_due_mails(sender(resources, smtp_server))
    await owner_connection.execute("update mails set sent_at = null, next_attempt_at = created_at")
    await send_due_mails(sender(resources, smtp_server))
    first, second = (each.message["Message-ID"] for each in smtp_server.arrived)
    assert first == second


class FailingTransport(FolderTransport):
    """Fails for one recipient with an unexpected error."""

    async def send(self, outgoing: OutgoingMail) -> dict[str, str]:
        if outgoing.message.recipient.startswith("bob@"):
            raise KeyError(outgoing.message.recipient)
        return await super().send(outgoing)


async def test_an_unexpected_error_delays_only_its_own_mail(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "transport_for", lambda settings: FailingTransport(settings.mail_path))
    await enqueue_all(enqueue)
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    ann, bob, *others = await outbox()
    assert_retried_later(bob, 1)
    assert bob["last_error"].startswith("it cannot be sent: KeyError in ")
    assert "bob" not in bob["last_error"]
    assert all(row["sent_at"] for row in (ann, *others))


async def test_a_brand_whose_mails_cannot_be_prepared_stops_no_other_brand(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail_for_brand_1(
        resources: Resources, brand_ref: int, refs: Sequence[int], outcomes: MailOutcomes
    ) -> list[OutgoingMail]:
        if brand_ref == 1:
            raise RuntimeError("trouble")
        return await prepare(resources, brand_ref, refs, outcomes)

    monkeypatch.setattr(sending, "prepare", fail_for_brand_1)
    await enqueue("ann", "renewed")
    await enqueue("bob", "renewed", brand_ref=2)
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    assert [row["sent_at"] is not None for row in await outbox()] == [False, True]
