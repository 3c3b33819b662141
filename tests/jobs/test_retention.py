"""Contact messages, the audit and mail files are kept for as long as the operator has set, and no longer."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest

from sitewright.kit import clock, pruning
from sitewright.kit.housekeeping import MAIL_FILES
from sitewright.kit.resources import Resources
from sitewright.processes import ALL_SCHEDULES
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, insert

DAY = timedelta(days=1)


async def run_pruning(resources: Resources, **settings: Any) -> None:
    """All that prunes, under these settings."""
    own = msgspec.structs.replace(resources, settings=msgspec.structs.replace(resources.settings, **settings))
    for schedule in ALL_SCHEDULES:
        if schedule.name.startswith("prune-"):
            await schedule.run(own)
    await MAIL_FILES.work(own)


async def write(owner: OwnerConnection, resources: Resources, brand_ref: int, ages: list[int]) -> None:
    """A contact message and an entry of the audit for each number of days."""
    site_ref = await make_site(owner, resources, brand_ref)
    for days in ages:
        at = clock.now() - days * DAY
        message = {"page": "", "name": "Bo", "email": "bo@mail.example", "message": "Hello", "visitor": b"x"}
        await insert(owner, "contact_messages", message | {"brand_ref": brand_ref, "site_ref": site_ref, "at": at})
        entry = {"brand_ref": brand_ref, "actor": "retained", "action": "a", "subject": "s", "at": at}
        await insert(owner, "audit_entries", entry)


async def ages(owner: OwnerConnection, table: str, condition: str = "true") -> list[int]:
    rows = await owner.fetch(
        f"select round(extract(epoch from $1 - at) / 86400)::integer as days from {table} where {condition} order by 1",
        clock.now(),
    )
    return [row["days"] for row in rows]


@pytest.mark.parametrize(("days", "left"), [(0, [1, 29, 31, 400, 800]), (30, [1, 29]), (365, [1, 29, 31])])
async def test_contact_messages_are_pruned_at_their_age(
    resources: Resources, owner_connection: OwnerConnection, clean: None, days: int, left: list[int]
) -> None:
    for brand_ref in (OWN_BRAND, OTHER_BRAND):
        await write(owner_connection, resources, brand_ref, [1, 29, 31, 400, 800])
    await run_pruning(resources, contact_message_days=days)
    assert await ages(owner_connection, "contact_messages") == sorted(left * 2)


@pytest.mark.parametrize(("days", "left"), [(0, [1, 29, 31, 400, 800]), (30, [1, 29]), (730, [1, 29, 31, 400])])
async def test_audit_entries_are_pruned_at_their_age_and_pruning_is_audited(
    resources: Resources, owner_connection: OwnerConnection, clean: None, days: int, left: list[int]
) -> None:
    for brand_ref in (OWN_BRAND, OTHER_BRAND):
        await write(owner_connection, resources, brand_ref, [1, 29, 31, 400, 800])
    await run_pruning(resources, audit_days=days)
    assert await ages(owner_connection, "audit_entries", "actor = 'retained'") == sorted(left * 2)
    rows = await owner_connection.fetch("select details ->> 'entries' from audit_entries where action = 'prune'")
    pruned = 10 - len(left) * 2
    assert [row[0] for row in rows] == ([str(pruned)] if pruned else [])


async def test_pruning_runs_in_batches(
    resources: Resources, owner_connection: OwnerConnection, clean: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "BATCH_SIZE", 2)
    await write(owner_connection, resources, OWN_BRAND, [800] * 5)
    await run_pruning(resources)
    assert await ages(owner_connection, "contact_messages") == []
    rows = await owner_connection.fetch("select details ->> 'entries' from audit_entries where action = 'prune'")
    assert [row[0] for row in rows] == ["2", "2", "1"]


async def test_the_service_role_cannot_delete_recent_audit_entries(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await write(owner_connection, resources, OWN_BRAND, [0, 29])
    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await tx.fetchval("select prune_audit_entries(now() + interval '1 year', 100)") == 0
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await tx.execute("delete from audit_entries")


def mail_file(folder: Path, name: str, days: float) -> None:
    written = (clock.real_now() - days * DAY).timestamp()
    (folder / name).touch()
    os.utime(folder / name, (written, written))


@pytest.mark.parametrize(("days", "left"), [(0, {"new", "old", ".draft"}), (30, {"new"})])
async def test_mail_files_and_temporary_files_are_pruned_at_their_age(
    resources: Resources, clean: None, tmp_path: Path, days: int, left: set[str]
) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    mail_file(folder, "new.eml", 29)
    mail_file(folder, "old.eml", 31)
    mail_file(folder, ".draft.eml.4711", 31)
    mail_file(folder, "notes.txt", 400)
    (folder / "sub.eml").mkdir()
    (folder / "link.eml").symlink_to(tmp_path / "elsewhere")
    await run_pruning(resources, data_dir=str(tmp_path), mail_file_days=days)
    others = {"notes.txt", "sub.eml", "link.eml"}
    assert {path.name.partition(".eml")[0] for path in folder.iterdir() if path.name not in others} == left
    assert others < {path.name for path in folder.iterdir()}


async def test_pruning_without_a_mail_folder(resources: Resources, clean: None, tmp_path: Path) -> None:
    await run_pruning(resources, data_dir=str(tmp_path))
