"""Without an SMTP server mails are files, complete and readable only by the operator."""

import email
import email.policy
import re
import stat
from pathlib import Path

import pytest

from sitewright.kit import clock
from sitewright.kit.mail.outcomes import BACK_OFF
from sitewright.kit.mail.sent_log import MAX_UNRECORDED
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox, sender
from tests.support.due_mails import send_due_mails


async def test_a_mail_becomes_a_file_and_one_line_in_the_log(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    user_ref = await enqueue("ann", "renewed", {"package": "Pro"})
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    [row], [file] = await outbox(), list((tmp_path / "mail").iterdir())
    assert re.fullmatch(rf"\d{{8}}T\d{{6}}\.\d{{6}}Z-1-{row['ref']}-renewed\.eml", file.name)
    message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    assert (message["To"], message["Subject"]) == ("ann@mail.example", "Pro was renewed")
    assert row["sent_at"] is not None
    [line] = [record for record in caplog.records if record.name == "sitewright.mail"]
    assert line.__dict__["fields"] == {
        "brand": 1, "mail": row["ref"], "kind": "renewed", "user": user_ref, "file": file.name,
    }  # fmt: skip


async def test_folder_and_files_are_readable_by_the_operator_only(
    resources: Resources, enqueue: Enqueue, tmp_path: Path
) -> None:
    await enqueue()
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    folder = tmp_path / "mail"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()] == [0o600]


async def test_names_sort_by_time_and_temporary_files_are_removed(
    resources: Resources, enqueue: Enqueue, tmp_path: Path
) -> None:
    for name in ("ann", "bob", "cid"):
        await enqueue(name, "renewed")
        await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    files = sorted((tmp_path / "mail").iterdir())
    recipients = [email.message_from_bytes(file.read_bytes())["To"] for file in files]
    assert recipients == ["ann@mail.example", "bob@mail.example", "cid@mail.example"]


@pytest.mark.parametrize("mails", [1, MAX_UNRECORDED, 2 * MAX_UNRECORDED + 1])
async def test_a_folder_that_cannot_be_written_is_retried(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tmp_path: Path, mails: int
) -> None:
    (tmp_path / "mail").touch()
    for number in range(mails):
        await enqueue(f"user{number}")
    await send_due_mails(sender(resources, data_dir=str(tmp_path)))
    rows = await outbox()
    assert [(row["attempts"], row["sent_at"], row["failed_at"]) for row in rows] == [(1, None, None)] * mails
    assert all("exists" in row["last_error"] for row in rows)
    assert max(row["next_attempt_at"] for row in rows) - clock.now() < BACK_OFF.delays[1]
