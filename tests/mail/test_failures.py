"""Servers that fail, stall and refuse: nothing is lost, nobody waits for another's trouble."""

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
from sitewright.kit.mail.sending import send_due_mails
from sitewright.kit.mail.store import claim
from sitewright.kit.mail.transports import OutgoingMail
from sitewright.kit.outbox import JITTER
from sitewright.kit.resources import Resources
from tests.mail.conftest import Outbox, Put, sender
from tests.mail.post_office import PostOffice, open_post_office
from tests.support.service import free_port
from tests.support.users import OwnerConnection

NAMES = ["ann", "bob", "cid", "dee"]


async def put_all(put: Put) -> None:
    for name in NAMES:
        await put(name, "renewed")


def names_of(office: PostOffice) -> list[str]:
    return [recipient.partition("@")[0] for recipient in office.recipients]


def assert_put_off(row: dict[str, Any], attempts: int) -> None:
    assert (row["sent_at"], row["failed_at"], row["attempts"]) == (None, None, attempts)
    assert row["facts"] is not None
    wait = BACK_OFF.delays[attempts - 1]
    assert wait * (1 - JITTER) - timedelta(seconds=5) < row["next_attempt_at"] - clock.now() <= wait * (1 + JITTER)


async def test_a_passing_error_is_followed_by_another_attempt(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put()
    post_office.at_recipient = lambda _: "451 4.7.1 greylisted, come back later"
    await send_due_mails(sender(resources, post_office))
    [row] = await outbox()
    assert_put_off(row, 1)
    assert row["last_error"] == "451 4.7.1 greylisted, come back later"
    post_office.at_recipient = lambda _: None
    await send_due_mails(sender(resources, post_office))
    assert post_office.arrived == []
    clock.shift(12)
    await send_due_mails(sender(resources, post_office))
    [row] = await outbox()
    assert (names_of(post_office), row["attempts"], row["last_error"]) == (["ann"], 2, None)


async def test_after_all_attempts_a_mail_is_given_up(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put()
    post_office.at_data = lambda _: "452 4.3.1 out of storage"
    passed = 0.0
    for number, wait in enumerate(BACK_OFF.delays, start=1):
        await send_due_mails(sender(resources, post_office))
        assert_put_off((await outbox())[0], number)
        passed += wait.total_seconds() * 1.2
        clock.shift(passed)
    await send_due_mails(sender(resources, post_office))
    [row] = await outbox()
    assert (row["failed_at"] is not None, row["attempts"]) == (True, 9)
    assert row["last_error"] == "452 4.3.1 out of storage"
    clock.shift(passed * 2)
    await send_due_mails(sender(resources, post_office))
    assert (await outbox())[0]["attempts"] == 9


async def test_a_refused_connection_puts_everything_off_and_nothing_is_lost(
    resources: Resources, put: Put, outbox: Outbox
) -> None:
    await put_all(put)
    port = free_port()
    await send_due_mails(sender(resources, PostOffice(port)))
    for row in await outbox():
        assert_put_off(row, 1)
        assert f"Error connecting to 127.0.0.1 on port {port}" in row["last_error"]
    clock.shift(12)
    with open_post_office(port=port) as office:
        await send_due_mails(sender(resources, office))
    assert sorted(names_of(office)) == NAMES


async def test_a_server_that_hangs_up_half_way_gets_the_rest_on_a_new_connection(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put_all(put)
    post_office.hangs_up_at = {"bob@mail.example"}
    await send_due_mails(sender(resources, post_office))
    assert (names_of(post_office), post_office.connections) == (["ann", "cid", "dee"], 2)
    assert_put_off((await outbox())[1], 1)
    post_office.hangs_up_at = set()
    clock.shift(12)
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["ann", "cid", "dee", "bob"]


async def test_a_server_that_hangs_up_again_and_again_is_left_alone_for_a_while(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put_all(put)
    post_office.hangs_up_at = {"ann@mail.example", "bob@mail.example"}
    await send_due_mails(sender(resources, post_office))
    assert (post_office.arrived, post_office.connections) == ([], 2)
    for row in await outbox():
        assert_put_off(row, 1)


async def test_a_server_that_says_goodbye_half_way(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put_all(put)
    post_office.at_recipient = lambda address: "421 closing" if address.startswith("bob") else None
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["ann", "cid", "dee"]
    assert (await outbox())[1]["last_error"] == "421 closing"


async def test_a_stalled_mail_is_given_time_and_the_others_go(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put_all(put)
    post_office.stalls_at = {"bob@mail.example"}
    before = clock.stopwatch()
    await send_due_mails(sender(resources, post_office))
    assert clock.stopwatch() - before < 5
    assert names_of(post_office) == ["ann", "cid", "dee"]
    row = (await outbox())[1]
    assert_put_off(row, 1)
    assert row["last_error"] == "the server was silent for 1 s"


async def test_a_server_that_takes_the_connection_and_is_silent_costs_one_time_out(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put_all(put)
    post_office.is_deaf = True
    before = clock.stopwatch()
    await send_due_mails(sender(resources, post_office))
    assert clock.stopwatch() - before < 3.5
    assert [row["last_error"] for row in await outbox()] == ["the server was silent for 1 s"] * 4
    post_office.is_deaf = False
    clock.shift(12)
    await send_due_mails(sender(resources, post_office))
    assert sorted(names_of(post_office)) == NAMES


async def test_a_slow_batch_gives_the_rest_back_untried(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put_all(put)
    monkeypatch.setattr("sitewright.kit.mail.sending.BATCH_SECONDS", -1)
    await send_due_mails(sender(resources, post_office))
    assert post_office.arrived == []
    assert [row["attempts"] for row in await outbox()] == [0] * 4
    monkeypatch.undo()
    await send_due_mails(sender(resources, post_office))
    assert sorted(names_of(post_office)) == NAMES


@pytest.mark.parametrize("where", ["at_recipient", "at_data"])
async def test_a_refused_mail_is_given_up_with_the_reason_and_without_the_address(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox, where: str
) -> None:
    await put_all(put)
    answer = "550 5.1.1 <bob@mail.example>: see https://mail.example/why?bob"
    setattr(post_office, where, lambda address: answer if address.startswith("bob") else None)
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["ann", "cid", "dee"]
    row = (await outbox())[1]
    assert (row["failed_at"] is not None, row["attempts"]) == (True, 1)
    assert row["last_error"] == "550 5.1.1 <<address>>: see <link>"
    assert post_office.connections == 1


@pytest.mark.parametrize(
    ("where", "answer"),
    [("at_recipient", "530 5.7.0 Authentication required"), ("at_sender", "553 5.7.1 not your address")],
)
async def test_what_speaks_of_log_in_or_of_the_sender_is_not_the_mails_fault(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox, where: str, answer: str
) -> None:
    await put()
    setattr(post_office, where, lambda _: answer)
    await send_due_mails(sender(resources, post_office))
    [row] = await outbox()
    assert_put_off(row, 1)
    assert row["last_error"].endswith(answer)


@pytest.mark.parametrize("column", ["deleted_at", "anonymised_at"])
async def test_who_is_gone_gets_nothing(
    resources: Resources,
    post_office: PostOffice,
    put: Put,
    outbox: Outbox,
    owner_connection: OwnerConnection,
    column: str,
) -> None:
    await put("ann", "renewed")
    await put("bob", "renewed")
    await owner_connection.execute(f"update users set {column} = now() where username = 'ann'")
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["bob"]
    row = (await outbox())[0]
    assert (row["failed_at"] is not None, row["facts"]) == (True, None)
    assert row["last_error"] == "the account holder is deleted or anonymised"


@pytest.mark.parametrize(("kind", "hours"), [("passwordReset", 1), ("verification", 24)])
async def test_nobody_gets_a_link_that_has_expired(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox, kind: str, hours: int
) -> None:
    await put("ann", kind, {"url": "https://northwind.example/?t=1"})
    clock.shift(hours * 3600 - 60)
    await put("bob", kind, {"url": "https://northwind.example/?t=1"})
    clock.shift(hours * 3600 + 60)
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["bob"]
    row = (await outbox())[0]
    assert (row["last_error"], row["facts"]) == ("its link has expired", None)


@pytest.mark.parametrize(
    "address", ["no at", "a@b\r\nBcc: all@mail.example", "a@mail.example, b@mail.example", "@b.example"]
)
async def test_an_address_nobody_can_write_to(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox, address: str
) -> None:
    await put(email=address)
    await put("bob")
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["bob"]
    assert (await outbox())[0]["last_error"] == "the address cannot be written to"


async def test_a_mail_that_cannot_be_written_stops_no_other(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox, owner_connection: OwnerConnection
) -> None:
    """Sealed with another key, or of a kind that only a newer release knows."""
    await put_all(put)
    await owner_connection.execute("update mails set facts = 'x' where ref = (select min(ref) from mails)")
    await owner_connection.execute("update mails set kind = 'newer' where ref = (select max(ref) from mails)")
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["bob", "cid"]
    rows = await outbox()
    assert_put_off(rows[0], 1)
    assert_put_off(rows[3], 1)
    assert rows[0]["last_error"] == "it cannot be written: MasterKeyError"


async def test_a_claim_that_nobody_follows_up_ends_with_its_lease(
    resources: Resources, post_office: PostOffice, put: Put
) -> None:
    await put()
    async with resources.database.connection() as connection:
        assert len(await claim(connection, clock.now(), clock.now() + LEASE, 50)) == 1
    await send_due_mails(sender(resources, post_office))
    clock.shift(LEASE.total_seconds() - 5)
    await send_due_mails(sender(resources, post_office))
    assert post_office.arrived == []
    clock.shift(LEASE.total_seconds() + 1)
    await send_due_mails(sender(resources, post_office))
    assert names_of(post_office) == ["ann"]


async def test_the_message_id_stays_the_same_at_every_attempt(
    resources: Resources, post_office: PostOffice, put: Put, owner_connection: OwnerConnection
) -> None:
    await put()
    await send_due_mails(sender(resources, post_office))
    await owner_connection.execute("update mails set sent_at = null, next_attempt_at = created_at")
    await send_due_mails(sender(resources, post_office))
    first, second = (each.message["Message-ID"] for each in post_office.arrived)
    assert first == second


class FailingTransport(FolderTransport):
    """Fails for one recipient in a way that nobody foresaw."""

    async def send(self, outgoing: OutgoingMail) -> dict[str, str]:
        if outgoing.message.recipient.startswith("bob@"):
            raise KeyError(outgoing.message.recipient)
        return await super().send(outgoing)


async def test_an_error_that_nobody_foresaw_puts_its_own_mail_off_and_no_other(
    resources: Resources, put: Put, outbox: Outbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "transport_for", lambda settings: FailingTransport(settings.mail_path))
    await put_all(put)
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    ann, bob, *others = await outbox()
    assert_put_off(bob, 1)
    assert bob["last_error"].startswith("it cannot be sent: KeyError in ")
    assert "bob" not in bob["last_error"]
    assert all(row["sent_at"] for row in (ann, *others))


async def test_a_brand_whose_mails_cannot_be_prepared_stops_no_other_brand(
    resources: Resources, put: Put, outbox: Outbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail_for_brand_1(
        resources: Resources, brand_ref: int, refs: Sequence[int], outcomes: MailOutcomes
    ) -> list[OutgoingMail]:
        if brand_ref == 1:
            raise RuntimeError("trouble")
        return await prepare(resources, brand_ref, refs, outcomes)

    monkeypatch.setattr(sending, "prepare", fail_for_brand_1)
    await put("ann", "renewed")
    await put("bob", "renewed", brand_ref=2)
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    assert [row["sent_at"] is not None for row in await outbox()] == [False, True]
