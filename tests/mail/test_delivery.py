"""Mail that arrives: whole, once, in the right order, from the right sender."""

import asyncio
import threading
from datetime import timedelta
from email.utils import parsedate_to_datetime

import pytest

from sitewright.accounts.account_packages.mails import RENEWED, TRIAL_ENDED
from sitewright.kit import clock, mail
from sitewright.kit.mail import Mail, store
from sitewright.kit.mail.outcomes import BATCH, LEASE
from sitewright.kit.mail.sent_log import MAX_UNRECORDED
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox, enqueue_for, sender
from tests.mail.smtp_server import SmtpServer, run_smtp_server
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.due_mails import send_due_mails
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection, make_reseller


async def test_a_mail_arrives_with_both_parts_and_all_headers(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue(facts={"loginUrl": "https://northwind.example/login?a=1&b=2"}, first_name="Ann")
    await send_due_mails(sender(resources, smtp_server))
    [arrived] = smtp_server.arrived
    message, [row] = arrived.message, await outbox()
    assert (arrived.sender, arrived.recipient) == ("no-reply@northwind.example", "ann@mail.example")
    assert message["From"] == "Northwind Hosting <no-reply@northwind.example>"
    assert (message["To"], message["Subject"]) == ("ann@mail.example", "Welcome to Northwind Hosting")
    assert message["Reply-To"] == "support@northwind.example"
    assert message["Auto-Submitted"] == "auto-generated"
    assert abs(parsedate_to_datetime(message["Date"]) - clock.real_now()) < timedelta(minutes=1)
    assert message["Message-ID"].startswith(f"<1.{row['ref']}.")
    assert message.get_content_type() == "multipart/alternative"
    assert "Hello Ann," in arrived.part("plain")
    assert "https://northwind.example/login?a=1&b=2" in arrived.part("plain")
    assert 'href="https://northwind.example/login?a=1&amp;b=2"' in arrived.part("html")
    assert arrived.raw.isascii()
    assert [name for name in message if name.lower().startswith("list-")] == []


async def test_a_sent_mail_is_recorded_without_its_facts(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue()
    await send_due_mails(sender(resources, smtp_server))
    [row] = await outbox()
    assert (row["attempts"], row["facts"], row["failed_at"]) == (1, None, None)
    assert abs(row["sent_at"] - clock.now()) < timedelta(minutes=1)
    await send_due_mails(sender(resources, smtp_server))
    assert len(smtp_server.arrived) == 1


async def test_only_urgent_mails_are_sent_during_the_sweep(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue
) -> None:
    for kind in ("trialEnded", "welcome", "renewed", "passwordReset"):
        await enqueue(kind, kind=kind, facts={"url": "https://northwind.example/r?token=1"})
    await send_due_mails(sender(resources, smtp_server), only_urgent=lambda: True)
    assert smtp_server.recipients == ["welcome@mail.example", "passwordReset@mail.example"]
    await send_due_mails(
        sender(resources, smtp_server),
    )
    assert sorted(smtp_server.recipients[2:]) == ["renewed@mail.example", "trialEnded@mail.example"]


async def test_mails_of_one_kind_and_of_several_are_put_alike(
    resources: Resources, enqueue: Enqueue, outbox: Outbox
) -> None:
    user_ref = await enqueue()
    several = [Mail(kind=kind, user_ref=user_ref) for kind in (RENEWED, TRIAL_ENDED, RENEWED)]
    async with resources.database.transaction(OWN_BRAND) as tx:
        await mail.put(tx, resources.sealer, OWN_BRAND, several)
        await mail.put(tx, resources.sealer, OWN_BRAND, [several[1]] * 3)
    kinds = [(row["kind"], row["is_awaited"]) for row in await outbox()]
    assert kinds[0] == ("welcome", True)
    assert kinds[1:] == [(kind, False) for kind in ("renewed", "trialEnded", "renewed", *["trialEnded"] * 3)]


async def test_a_mail_may_go_to_another_address_than_the_account_holders(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue
) -> None:
    await enqueue(kind="verification", facts={"to": "old@mail.example", "url": "https://northwind.example/v?token=1"})
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.recipients == ["old@mail.example"]


async def test_a_mail_scheduled_for_later_waits(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await enqueue()
    await owner_connection.execute("update mails set next_attempt_at = $1", clock.now() + timedelta(hours=1))
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.arrived == []
    clock.shift(3601)
    await send_due_mails(sender(resources, smtp_server))
    assert len(smtp_server.arrived) == 1


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine many mails may take longer than a round."""
    monkeypatch.setattr("sitewright.kit.mail.sending.BATCH_SECONDS", 60)


async def test_several_batches_use_one_connection_each(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, unhurried: None
) -> None:
    user_ref = await enqueue()
    for _ in range(2 * BATCH):
        await enqueue_for(resources, user_ref, "renewed", {})
    await send_due_mails(sender(resources, smtp_server, smtp_connections=2))
    assert (len(smtp_server.arrived), smtp_server.connections) == (2 * BATCH + 1, 3)


async def test_a_plan_made_for_an_empty_outbox_keeps_the_batch_size(
    resources: Resources, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    """The server keeps plans, and one that was made for an empty table must do for a full one."""
    await owner_connection.execute("vacuum analyze mails")
    async with resources.database.connection() as worker:
        for _ in range(8):
            assert await store.claim(worker, clock.now(), clock.now() + LEASE, BATCH) == []
        user_ref = await enqueue()
        mails = [Mail(kind=RENEWED, user_ref=user_ref)] * 2 * BATCH
        async with resources.database.transaction(OWN_BRAND) as tx:
            await mail.put(tx, resources.sealer, OWN_BRAND, mails)
        claimed = [len(await store.claim(worker, clock.now(), clock.now() + LEASE, BATCH)) for _ in range(4)]
    assert claimed == [BATCH, BATCH, 1, 0]


async def test_urgent_mails_are_sent_first(resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue) -> None:
    for number in range(3):
        await enqueue(f"renewed-{number}", "renewed")
    await enqueue("waiting", "passwordReset", {"links": [{"username": "w", "url": "https://northwind.example/?h=1"}]})
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.recipients[0] == "waiting@mail.example"
    assert len(smtp_server.recipients) == 4


async def test_concurrent_senders_deliver_each_mail_once(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, unhurried: None
) -> None:
    user_ref = await enqueue()
    for number in range(199):
        await enqueue_for(resources, user_ref, "renewed", {"to": f"{number}@mail.example"})
    await asyncio.gather(*(send_due_mails(sender(resources, smtp_server)) for _ in range(5)))
    assert len(smtp_server.recipients) == len(set(smtp_server.recipients)) == 200


async def test_mails_of_several_brands_go_together_each_in_its_brands_name(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue
) -> None:
    await enqueue("ann")
    await enqueue("bob", brand_ref=OTHER_BRAND, language_code="fr")
    await send_due_mails(sender(resources, smtp_server))
    subjects = {each.recipient: each.message["Subject"] for each in smtp_server.arrived}
    assert subjects == {
        "ann@mail.example": "Welcome to Northwind Hosting",
        "bob@mail.example": "Bienvenue chez Southgate Telecom",
    }
    assert smtp_server.connections == 1


@pytest.mark.parametrize(
    ("own", "of_the_deployment", "expected"),
    [
        ("Hi <hello@brand.example>", "all@deployment.example", "Hi <hello@brand.example>"),
        ("hello@brand.example", "", "Northwind Hosting <hello@brand.example>"),
        (None, "All <all@deployment.example>", "All <all@deployment.example>"),
        (None, "all@deployment.example", "Northwind Hosting <all@deployment.example>"),
        (None, "", "Northwind Hosting <no-reply@northwind.example>"),
    ],
)
async def test_the_sender(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection, own: str | None,
    of_the_deployment: str, expected: str,
) -> None:  # fmt: skip
    await enqueue()
    await owner_connection.execute("update brands set mail_sender = $1 where brand_ref = 1", own)
    await send_due_mails(sender(resources, smtp_server, mail_from=of_the_deployment))
    assert smtp_server.arrived[0].message["From"] == expected
    assert smtp_server.arrived[0].sender == expected.partition("<")[2].strip(">")


async def test_a_resellers_account_holders_are_referred_to_the_reseller(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await make_reseller(owner_connection, 1, 7)
    await owner_connection.execute(
        "update resellers set reseller_support_email = 'help@reseller.example', display_name = 'Corner Web Studio',"
        " reseller_help_url = 'https://r.example/h', login_url = 'https://r.example/lögin'"
    )
    await enqueue(reseller_ref=7)
    await send_due_mails(sender(resources, smtp_server))
    [arrived] = smtp_server.arrived
    assert arrived.message["Reply-To"] == "help@reseller.example"
    assert "Write to help@reseller.example" in arrived.part("plain")
    assert "https://r.example/h" in arrived.part("html")
    assert arrived.message["Subject"] == "Welcome to Corner Web Studio"
    assert 'href="https://r.example/l%C3%B6gin"' in arrived.part("html")


async def test_a_non_ascii_domain_is_encoded_with_idna(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue
) -> None:
    await enqueue(email="ann@straße.example")
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.recipients == ["ann@xn--strae-oqa.example"]


async def test_a_non_ascii_address_needs_smtputf8(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue("jörg")
    await enqueue("ann")
    await send_due_mails(sender(resources, smtp_server))
    assert sorted(smtp_server.recipients) == ["ann@mail.example", "jörg@mail.example"]


async def test_a_server_without_smtputf8(resources: Resources, enqueue: Enqueue, outbox: Outbox) -> None:
    await enqueue("jörg")
    await enqueue("ann")
    with run_smtp_server(enable_SMTPUTF8=False) as server:
        await send_due_mails(sender(resources, server))
    assert server.recipients == ["ann@mail.example"]
    [refused] = [row for row in await outbox() if row["failed_at"]]
    assert refused["last_error"] == "the server accepts only ASCII addresses"


async def test_the_number_of_unrecorded_mails_is_limited(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, owner_connection: OwnerConnection
) -> None:
    """The database takes no note for a while; nothing is carried further than may come twice if the sender dies."""
    names = [f"user{number}" for number in range(2 * MAX_UNRECORDED)]
    for name in names:
        await enqueue(name, "renewed")
    come, go_on = threading.Event(), threading.Event()

    def hold_the_first(_recipient: str) -> None:
        come.set()
        go_on.wait(timeout=HANG_SECONDS)

    smtp_server.at_data = hold_the_first
    sending = asyncio.create_task(send_due_mails(sender(resources, smtp_server, smtp_timeout_seconds=30)))
    await eventually(come.is_set)
    async with owner_connection.transaction():
        await owner_connection.execute("lock table mails in share row exclusive mode")
        go_on.set()
        await eventually(lambda: len(smtp_server.arrived) == MAX_UNRECORDED)
        assert not (await asyncio.wait([sending], timeout=0.5))[0]
        assert len(smtp_server.arrived) == MAX_UNRECORDED
    await sending
    assert smtp_server.recipients == [f"{name}@mail.example" for name in names]
    assert all(row["sent_at"] is not None and row["facts"] is None for row in await outbox())
