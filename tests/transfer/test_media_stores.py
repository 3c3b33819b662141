"""Media move between installations whatever store each of them has."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from sitewright.settings import Settings
from tests.support.s3_server import Bucket, bucket, s3_url
from tests.support.transfer import Installation, export, opened_installation, tables_of
from tests.transfer.conftest import Exported, beside

__all__ = ["bucket", "s3_url"]
TARGET = "transfer_with_s3"


@pytest.fixture
async def target_with_s3(
    database_url: str, migrated_template: str, settings: Settings, bucket: Bucket
) -> AsyncIterator[Installation]:
    server = await asyncpg.connect(database_url)
    await server.execute(f"create database {TARGET} template {migrated_template}")
    try:
        url = beside(database_url, TARGET)
        async with opened_installation(url, settings, **bucket.values()) as opened:
            yield opened
    finally:
        await server.execute(f"drop database {TARGET} with (force)")
        await server.close()


def objects_in(file: Path) -> dict[str, str]:
    """The bytes of each object as text; stores divide them into chunks differently."""
    found: dict[str, str] = {}
    for chunk in tables_of(file)["media_chunks.ndjson"]:
        found[chunk["object_key"]] = found.get(chunk["object_key"], "") + chunk["body"].removeprefix("\\x")
    return found


async def test_media_are_imported_into_s3_and_exported_from_it(
    exported: Exported, target_with_s3: Installation, target: Installation, bucket: Bucket, tmp_path: Path
) -> None:
    await target_with_s3.load(exported.file, exported.key)
    stores = await target_with_s3.owner.fetch("select distinct store, delete_after from media_objects")
    assert [tuple(row) for row in stores] == [("s3", None)]
    before = objects_in(exported.file)
    assert len(bucket.keys()) == len(before) > 2
    again = tmp_path / "again.zip"
    await export(target_with_s3.resources, target_with_s3.url, again, exported.recipient)
    assert objects_in(again) == before
    await target.load(again, exported.key)
    assert await target.owner.fetchval("select count(*) from media_objects where store = 'postgresql'") == len(before)
