"""A mailed token is in the mail and nowhere else."""

from pathlib import Path

import pytest

from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, sender
from tests.mail.smtp_server import SmtpServer
from tests.support.due_mails import send_due_mails
from tests.support.users import OwnerConnection

CANARY = "1-canary_kQ3v9xZt7LmW2pYsB8dHfRjN4cGaEuTi6oXy"


async def whole_table(owner_connection: OwnerConnection) -> str:
    rows = await owner_connection.fetch("select mails::text, encode(facts, 'escape') as plain from mails")
    assert rows
    return "\n".join(f"{row['mails']} {row['plain']}" for row in rows)


@pytest.mark.parametrize(
    "response", [None, "451 later", "550 never", f"550 spam: https://northwind.example/?h={CANARY}"]
)
async def test_a_reset_token_is_neither_in_the_table_nor_in_the_log(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection,
    response: str | None,
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    caplog.set_level("DEBUG")
    link = {"username": "ann", "url": f"https://northwind.example/?h={CANARY}"}
    await enqueue("ann", "passwordReset", {"to": "ann@mail.example", "links": [link]})
    assert CANARY not in await whole_table(owner_connection)
    smtp_server.at_data = lambda _: response
    await send_due_mails(sender(resources, smtp_server))
    assert CANARY not in await whole_table(owner_connection)
    records = [record for record in caplog.records if not record.name.startswith("mail")]  # not the server's own
    logged = "\n".join(f"{record.getMessage()} {record.__dict__.get('fields')} {record.exc_text}" for record in records)
    assert "passwordReset" in logged
    assert CANARY not in logged + "".join(capfd.readouterr())
    assert "ann@mail.example" not in logged
    arrived = response is None
    assert [CANARY in each.part("plain") for each in smtp_server.arrived] == [True] * arrived


async def test_a_reset_token_is_not_logged_when_mails_are_files(
    resources: Resources,
    enqueue: Enqueue,
    owner_connection: OwnerConnection,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    link = {"username": "ann", "url": f"https://northwind.example/?h={CANARY}"}
    await enqueue("ann", "passwordReset", {"to": "ann@mail.example", "links": [link]})
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    [file] = (tmp_path / "mail").iterdir()
    assert CANARY in file.read_text().replace("=\n", "").replace("=3D", "=")
    assert CANARY not in file.name + caplog.text + await whole_table(owner_connection)


async def test_facts_cannot_be_decrypted_for_another_brand(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await enqueue("ann", "passwordReset", {"links": [{"username": "ann", "url": f"https://a.example/?h={CANARY}"}]})
    await enqueue("bob", "passwordReset", brand_ref=2)
    await owner_connection.execute(
        "update mails set facts = (select facts from mails where brand_ref = 1) where brand_ref = 2"
    )
    await send_due_mails(sender(resources, smtp_server))
    assert smtp_server.recipients == ["ann@mail.example"]


async def test_a_dead_lettered_reset_mail_does_not_keep_its_link(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await enqueue("ann", "passwordReset", {"links": [{"username": "ann", "url": "https://a.example/?h=1"}]})
    await enqueue("bob", "renewed", {"package": "Pro"})
    smtp_server.at_recipient = lambda _: "550 never"
    await send_due_mails(sender(resources, smtp_server))
    rows = await owner_connection.fetch("select kind, facts is null as is_erased from mails order by kind")
    assert [tuple(row) for row in rows] == [("passwordReset", True), ("renewed", False)]
