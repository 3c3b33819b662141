"""A backup that the database refuses halfway: the operator reads why, and nothing of it stays."""

import asyncio
from pathlib import Path

import pytest

from sitewright.kit.dumps import DumpError, read_dump, write_dump
from sitewright.kit.migrations import has_tables
from tests.support.users import OwnerConnection


async def test_a_refused_restore_says_why_and_leaves_nothing(
    database_url: str, empty_database: str, connection: OwnerConnection, tmp_path: Path
) -> None:
    dump = tmp_path / "night.dump"
    await asyncio.to_thread(write_dump, database_url, dump)
    await connection.execute("create function current_brand() returns bigint language sql as 'select 1::bigint'")
    with pytest.raises(DumpError, match=r'psql failed: .*function "current_brand" already exists'):
        await asyncio.to_thread(read_dump, empty_database, dump)
    assert not await has_tables(connection)
    await connection.execute("drop function current_brand()")
    await asyncio.to_thread(read_dump, empty_database, dump)
    assert await has_tables(connection)
