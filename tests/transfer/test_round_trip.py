"""A brand is exported, imported into an empty installation, and exported again with the same content."""

import asyncio
from pathlib import Path

import pytest

from sitewright.features import SEALED_COLUMNS
from sitewright.kit.key_file import new_key
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import MasterKeyError, Sealer
from sitewright.sites.media.storage import service as media_storage
from sitewright.transfer.errors import TransferError
from sitewright.transfer.exports.service import export_brand
from sitewright.transfer.recipients import make_key_pair
from tests.support.cast import OWN_BRAND
from tests.support.transfer import Installation, export, refs_of, tables_of
from tests.support.users import OwnerConnection
from tests.transfer.conftest import Exported

SECRET_TABLES = ("api_credentials.ndjson", "certificates.ndjson", "webhook_secrets.ndjson")


async def test_an_imported_brand_is_exported_with_the_same_content(
    exported: Exported, target: Installation, tmp_path: Path
) -> None:
    assert await target.check(exported.file) == []
    assert await target.check(exported.file, exported.key) == []
    assert (await target.is_empty(), await target.staged()) == (True, [])
    assert await target.load(exported.file, exported.key) == OWN_BRAND
    assert await target.staged() == []
    again = tmp_path / "again.zip"
    await export(target.resources, target.url, again, exported.recipient)
    before, after = tables_of(exported.file), tables_of(again)
    assert len(before) > 40
    for name in SECRET_TABLES:
        assert len(before.pop(name)) == len(after.pop(name)) > 0
    before["templates.ndjson"] = before.pop("shared_templates.ndjson") + before["templates.ndjson"]
    for template in [*before["templates.ndjson"], *after["templates.ndjson"]]:
        template.pop("brand_ref", None)  # one that was shared, and is missing here, becomes the brand's own
    for check in [*before["domain_checks.ndjson"], *after["domain_checks.ndjson"]]:
        check.pop("due_at")
    assert [each.pop("pruned") for each in before["event_sequences.ndjson"]] == [0]
    assert [each.pop("pruned") == each["last"] for each in after["event_sequences.ndjson"]] == [True]
    assert after == before


async def test_hosts_are_checked_after_a_day_in_which_they_are_pointed_to_the_new_installation(
    exported: Exported, target: Installation
) -> None:
    await target.load(exported.file, exported.key)
    due = await target.owner.fetch("select due_at - now() > interval '23 hours' from domain_checks")
    assert [row[0] for row in due if row[0] is not None] == [True]


async def test_imported_secrets_are_sealed_with_the_master_key_of_the_new_installation(
    exported: Exported, target: Installation, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await target.load(exported.file, exported.key)
    for column in SEALED_COLUMNS:
        if column.table not in ("api_credentials", "certificates", "webhook_secrets"):
            continue
        names = ", ".join(["brand_ref", *(name for name in column.context_columns if name != "brand_ref")])
        query = f"select {column.column}, {names} from {column.table} where brand_ref = $1 order by {names}"
        before = await owner_connection.fetch(query, OWN_BRAND)
        after = await target.owner.fetch(query, OWN_BRAND)
        assert len(after) == len(before) > 0
        for old, new in zip(before, after, strict=True):
            context = column.context.format(**dict(new))
            assert target.resources.sealer.unseal(new[0], context) == resources.sealer.unseal(old[0], context)
            with pytest.raises(MasterKeyError):
                resources.sealer.unseal(new[0], context)


async def test_secrets_of_revoked_credentials_are_not_exported(
    exported: Exported,
    target: Installation,
    owner_connection: OwnerConnection,
    resources: Resources,
    database_url: str,
    tmp_path: Path,
) -> None:
    """Nobody needs them, and a rotation of the master key leaves them as they are."""
    foreign = Sealer(new_key()).seal(b"secret", "elsewhere")
    revoke = "update api_credentials set consumer_secret = $2, revoked_at = now() where brand_ref = $1 returning ref"
    [row, *_] = await owner_connection.fetch(revoke, OWN_BRAND, foreign)
    again = tmp_path / "again.zip"
    await export(resources, database_url, again, exported.recipient)
    await target.load(again, exported.key)
    query = "select consumer_secret, consumer_key from api_credentials where (brand_ref, ref) = ($1, $2)"
    moved = await target.owner.fetchrow(query, OWN_BRAND, row["ref"])
    assert moved is not None
    context = f"api_credentials/{moved['consumer_key']}/consumer"
    assert target.resources.sealer.unseal(moved["consumer_secret"], context) == b""


async def test_counters_and_sequences_continue(
    exported: Exported, target: Installation, owner_connection: OwnerConnection
) -> None:
    await target.load(exported.file, exported.key)
    await target.owner.execute("select set_config('sitewright.brand_ref', '1', false)")
    for query in (
        "select sum(users) from user_counts where brand_ref = 1 and not deleted",
        "select array_agg(storage_bytes order by ref) from users where brand_ref = 1",
        "select figure, sum(value) from figure_changes where brand_ref = 1 group by 1 order by 1",
        "select last from event_sequences where brand_ref = 1",
    ):
        await owner_connection.execute("select set_config('sitewright.brand_ref', '1', false)")
        assert await target.owner.fetch(query) == await owner_connection.fetch(query), query
    for table in ("users", "sites", "packages", "pages", "currencies", "brands"):
        identity = "brand_ref" if table == "brands" else "ref"
        highest = await target.owner.fetchval(f"select max({identity}) from {table}")
        following = await target.owner.fetchval("select nextval(pg_get_serial_sequence($1, $2))", table, identity)
        assert following > highest, table
    assert await target.owner.fetchval("select exists (select from search_rebuilds where brand_ref = 1)")


async def test_media_are_written_to_the_store(exported: Exported, target: Installation, resources: Resources) -> None:
    await target.load(exported.file, exported.key)
    keys = await target.owner.fetch("select object_key from media union select object_key from media_variants")
    assert len(keys) > 2
    for (key,) in keys:
        sides = [
            b"".join([chunk async for chunk in media_storage.read(each, OWN_BRAND, key)])
            for each in (resources, target.resources)
        ]
        assert sides[0] == sides[1] != b""


async def test_an_archive_without_secrets_contains_none(
    exported: Exported, target: Installation, resources: Resources, database_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "without.zip"
    manifest = await export(resources, database_url, file, None)
    found = tables_of(file)
    assert manifest.secrets is None
    assert not set(found) & {*SECRET_TABLES, "operators.ndjson"}
    assert {row["password_hash"] for row in found["users.ndjson"]} == {None}
    assert "argon2" not in str(found)
    await target.load(file)
    assert await target.owner.fetchval("select count(*) from users") == len(found["users.ndjson"])


async def test_the_export_is_one_snapshot(
    exported: Exported, resources: Resources, database_url: str, owner_connection: OwnerConnection, tmp_path: Path
) -> None:
    """A user who is renamed while the export runs has the former name in all tables."""
    renamed: list[asyncio.Task[str]] = []

    def rename(_table: str, _rows: int, _total: int) -> None:
        if not renamed:
            statement = "update users set city = 'elsewhere' where brand_ref = 1"
            renamed.append(asyncio.ensure_future(owner_connection.execute(statement)))

    with (tmp_path / "one.zip").open("wb") as opened:
        await export_brand(resources, database_url, SEALED_COLUMNS, OWN_BRAND, opened, exported.recipient, rename)
    await renamed[0]
    assert await owner_connection.fetchval("select bool_and(city = 'elsewhere') from users where brand_ref = 1")
    rows = tables_of(tmp_path / "one.zip")["users.ndjson"]
    assert {row["city"] for row in rows} == {row["city"] for row in tables_of(exported.file)["users.ndjson"]}


async def test_a_brand_that_does_not_exist_is_not_exported(
    resources: Resources, database_url: str, tmp_path: Path
) -> None:
    with pytest.raises(TransferError, match="There is no brand 77"):
        await export(resources, database_url, tmp_path / "none.zip", None, brand_ref=77)


async def test_the_private_key_of_another_recipient_is_refused(
    exported: Exported, target: Installation, tmp_path: Path
) -> None:
    make_key_pair(tmp_path / "other.key")
    with pytest.raises(TransferError, match="encrypted for"):
        await target.load(exported.file, tmp_path / "other.key")
    with pytest.raises(TransferError, match="--key FILE"):
        await target.load(exported.file)
    assert (await target.is_empty(), await target.staged()) == (True, [])
    assert not refs_of(exported.file).exists()
