"""Mails of a test brand are files, also where there is an SMTP server."""

from pathlib import Path
from typing import Any

from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox, sender
from tests.mail.smtp_server import SmtpServer
from tests.support.cast import OTHER_BRAND
from tests.support.due_mails import send_due_mails
from tests.support.users import OwnerConnection


async def test_only_mails_of_live_brands_are_sent(
    resources: Resources,
    smtp_server: SmtpServer,
    enqueue: Enqueue,
    outbox: Outbox,
    owner_connection: OwnerConnection,
    tmp_path: Path,
) -> None:
    await owner_connection.execute("update brands set test_mode = true where brand_ref = $1", OTHER_BRAND)
    await enqueue("live")
    await enqueue("tested", brand_ref=OTHER_BRAND)
    await send_due_mails(sender(resources, smtp_server, data_dir=str(tmp_path)))
    assert [arrived.recipient for arrived in smtp_server.arrived] == ["live@mail.example"]
    [file] = (tmp_path / "mail").glob("*.eml")
    assert "To: tested@mail.example" in file.read_text()
    assert all(row["sent_at"] is not None for row in await outbox())


async def test_an_unreachable_server_does_not_hold_up_a_test_brand(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, owner_connection: OwnerConnection, tmp_path: Path
) -> None:
    await owner_connection.execute("update brands set test_mode = true where brand_ref = $1", OTHER_BRAND)
    await enqueue("live")
    await enqueue("tested", brand_ref=OTHER_BRAND)
    closed: dict[str, Any] = {"smtp_host": "127.0.0.1", "smtp_port": 1, "smtp_security": "none"}
    await send_due_mails(sender(resources, data_dir=str(tmp_path), **closed))
    assert len(list((tmp_path / "mail").glob("*.eml"))) == 1
    assert [row["sent_at"] is not None for row in await outbox()] == [False, True]
