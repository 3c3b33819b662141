"""A dump of the whole database, written while the service runs, and restored elsewhere with the same master key."""

import re
import shutil
import stat
from collections import Counter
from pathlib import Path

import asyncpg

from sitewright.kit.dump_check.service import Content, differences
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.key_file import new_key
from sitewright.kit.sealing import Sealer
from tests.chaos.stage import journal_of
from tests.support.data_folders import make_cluster
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import make_demo, make_migrated, run_command, running_service


async def test_a_backup_is_restored_in_another_folder(tmp_path: Path) -> None:
    before, after, dump = tmp_path / "before", tmp_path / "after", tmp_path / "night.dump"
    async with running_service(before) as service:
        code, output = await run_command(before, "backup", str(dump))
        assert (code, "master key" in output) == (0, True), output
        basic = service.demo["brands"][0]["basic"]
    assert stat.S_IMODE(dump.stat().st_mode) == 0o600
    await make_cluster(after)
    code, output = await run_command(after, "restore", str(dump))
    assert code == 0, output
    shutil.copy(before / "master.key", after / "master.key")
    async with running_service(after) as service, http_client() as client:
        users = await client.get(f"{service.api_url}/users", auth=(basic["username"], basic["password"]))
    assert users.json()["accountHolders"][0]["username"] == "demo"


async def test_a_backup_is_never_written_through_a_link(tmp_path: Path) -> None:
    """An attacker with write access to the folder places symbolic links at the file's name and its temporary name."""
    folder, victim = tmp_path / "shared", tmp_path / "victim"
    folder.mkdir()
    victim.write_text("precious")
    (folder / "night.dump").symlink_to(victim)
    (folder / "night.dump.partial").symlink_to(victim)
    await make_migrated(tmp_path / "one")
    code, output = await run_command(tmp_path / "one", "backup", str(folder / "night.dump"))
    assert code == 0, output
    assert victim.read_text() == "precious"
    written = (folder / "night.dump").lstat()
    assert (stat.S_ISREG(written.st_mode), stat.S_IMODE(written.st_mode)) == (True, 0o600)
    code, output = await run_command(tmp_path / "one", "catalogue", "export", str(folder / "night.dump.partial"))
    assert (code, victim.read_text()) == (0, "precious"), output
    assert {each.name for each in folder.iterdir()} == {"night.dump", "night.dump.partial"}


async def test_a_restore_does_not_overwrite_existing_data(tmp_path: Path) -> None:
    dump = tmp_path / "empty.dump"
    await make_migrated(tmp_path / "one")
    assert (await run_command(tmp_path / "one", "backup", str(dump)))[0] == 0
    code, output = await run_command(tmp_path / "one", "restore", str(dump))
    assert (code, "has tables already" in output) == (1, True)


async def test_failures_of_restore_and_backup_are_reported(tmp_path: Path) -> None:
    (tmp_path / "other.dump").write_text("not a dump")
    await make_cluster(tmp_path / "two")
    code, output = await run_command(tmp_path / "two", "restore", str(tmp_path / "other.dump"))
    assert (code, "pg_restore failed" in output) == (1, True)
    code, output = await run_command(tmp_path / "two", "backup", str(tmp_path / "missing" / "night.dump"))
    assert code == 1
    assert "Traceback" not in output


async def test_of_a_damaged_backup_nothing_is_restored(tmp_path: Path) -> None:
    whole, damaged = tmp_path / "whole.dump", tmp_path / "damaged.dump"
    await make_demo(tmp_path / "one")
    await make_cluster(tmp_path / "two")
    assert (await run_command(tmp_path / "one", "backup", str(whole)))[0] == 0
    content = whole.read_bytes()
    damaged.write_bytes(content[: len(content) // 2])  # in the middle of the data
    code, output = await run_command(tmp_path / "two", "restore", str(damaged))
    assert (code, "pg_restore failed" in output) == (1, True), output
    code, output = await run_command(tmp_path / "two", "restore", str(whole))
    assert code == 0, output


async def test_a_backup_is_verified_in_a_scratch_server_while_the_service_writes(tmp_path: Path) -> None:
    dump = tmp_path / "night.dump"
    async with running_service(tmp_path / "one") as service, service.client() as client:
        journal = journal_of(service)
        async with journal.kept_by([client]):
            await eventually(lambda: journal.acknowledged > 3)
            code, output = await run_command(tmp_path / "one", "backup", "--verify", str(dump))
        assert code == 0, output
        found = re.search(r"(\d+) rows of (\d+) tables and (\d+) keys are complete, and .* all (\d+) secrets", output)
        assert found is not None and all(int(number) > 0 for number in found.groups()), output
    assert dump.read_bytes().startswith(b"PGDMP")


async def test_a_backup_whose_secrets_need_another_key_does_not_pass(tmp_path: Path) -> None:
    await make_demo(tmp_path / "one")
    (tmp_path / "one" / "master.key").unlink()
    code, output = await run_command(tmp_path / "one", "backup", "--verify", str(tmp_path / "night.dump"))
    assert code == 1
    assert "api_credentials.consumer_secret open with no master key that is here" in output, output


async def test_a_backup_passes_when_only_revoked_credentials_need_another_key(tmp_path: Path) -> None:
    await make_migrated(tmp_path / "one")
    await insert_revoked_credential(tmp_path / "one", Sealer(new_key()))
    code, output = await run_command(tmp_path / "one", "backup", "--verify", str(tmp_path / "night.dump"))
    assert code == 0, output


async def insert_revoked_credential(data_dir: Path, sealer: Sealer) -> None:
    server = EmbeddedPostgres(data_dir)
    server.start()
    try:
        owner = await asyncpg.connect(server.url)
        await owner.execute("insert into brands (brand_ref, name) values (5, 'lost')")
        await owner.execute(
            "insert into api_credentials (brand_ref, role, label, consumer_key, consumer_secret, access_token,"
            " access_secret, created_at, revoked_at) values (5, 'support', '', 'k', $1, 't', $1, now(), now())",
            sealer.seal(b"secret", "api_credentials/k/consumer"),
        )
        await owner.close()
    finally:
        server.stop()


def test_missing_rows_and_keys_are_named() -> None:
    expected = Content({"public.users": 3, "public.sites": 2}, {"users_pkey of users", "sites_pkey of sites"})
    found = Content({"public.users": 2, "public.sites": 2}, {"users_pkey of users"})
    assert differences(expected, found, Counter({"mails.facts": 4})) == [
        "public.users has 2 rows instead of 3",
        "the key sites_pkey of sites is missing",
        "4 values of mails.facts open with no master key that is here",
    ]
