"""Indexes built outside a transaction and backfills in batches: killed in the middle, the next run finishes them."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from sitewright.kit.migrations import Source, migrate
from sitewright.kit.migrations.sources import sources_in
from tests.support.eventually import eventually
from tests.support.users import OwnerConnection

BASELINE = """
create table notes (ref bigint primary key, color text, reads integer);
insert into notes (ref, color) select number, 'red' from generate_series(1, 200) number;
"""
INDEX = """-- run: outside a transaction
-- Notes are listed by color.
create index concurrently notes_by_color on notes (color);
create index concurrently notes_by_reads on notes (reads) where reads is not null;
"""
BACKFILL = """-- run: in batches
with batch as (select n.ref from notes n, pg_sleep(0.05) where n.reads is null order by n.ref limit 10)
update notes n set reads = coalesce(n.reads, 0) + 1 from batch where n.ref = batch.ref
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit/baseline.sql").write_text(BASELINE)
    return tmp_path


@asynccontextmanager
async def migrating(url: str, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that migrates; killed at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.kit.migrations.migrating", url, str(folder), cwd=Path(__file__).parents[3]
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def indexes(connection: OwnerConnection) -> dict[str, bool]:
    rows = await connection.fetch(
        "select indexrelid::regclass::text, indisvalid from pg_index where indrelid = 'notes'::regclass"
    )
    return {name: valid for name, valid in rows if name != "notes_pkey"}


async def end_migration(connection: OwnerConnection, *keep: int) -> None:
    """What the server does by itself once it notices that the client is gone; `keep` are sessions of the test."""

    async def has_ended() -> bool:
        count = await connection.fetchval(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid() and pid <> all($1::integer[])",
            keep,
        )
        return bool(count == 0)

    await eventually(has_ended)


@pytest.mark.parametrize("server_finishes", [False, True])
async def test_an_index_whose_building_was_killed_is_built_again(
    empty_database: str, connection: OwnerConnection, folder: Path, server_finishes: bool
) -> None:
    await migrate(empty_database, sources=sources_in(folder))
    (folder / "kit/0002_colors.sql").write_text(INDEX)
    reader = await asyncpg.connect(empty_database)
    reading = reader.transaction(isolation="repeatable_read")
    await reading.start()
    await reader.fetch("select count(*) from notes")  # building an index waits for older snapshots

    async def is_half_built() -> bool:
        return await indexes(connection) == {"notes_by_color": False}

    async with migrating(empty_database, folder):
        await eventually(is_half_built)
    if not server_finishes:
        await end_migration(connection, reader.get_server_pid())
        assert await indexes(connection) == {"notes_by_color": False}
    await reading.rollback()
    await reader.close()

    applied = await migrate(empty_database, sources=sources_in(folder))
    assert [source.path for source in applied] == ["kit/0002_colors.sql"]
    assert await indexes(connection) == {"notes_by_color": True, "notes_by_reads": True}
    assert await migrate(empty_database, sources=sources_in(folder)) == []


async def test_an_index_is_built_while_others_wait_to_migrate(empty_database: str, folder: Path) -> None:
    """They hold no snapshot while they wait for the lock: the index would wait for them, and they for the index."""
    (folder / "kit/0002_colors.sql").write_text(INDEX)
    sources = sources_in(folder)
    applied = await asyncio.gather(*(migrate(empty_database, sources=sources) for _ in range(3)))
    assert sorted(len(each) for each in applied) == [0, 0, 2]


async def test_a_backfill_that_was_killed_goes_on_where_it_was(
    empty_database: str, connection: OwnerConnection, folder: Path
) -> None:
    await migrate(empty_database, sources=sources_in(folder))
    (folder / "kit/0002_reads.sql").write_text(BACKFILL)

    async def has_begun() -> bool:
        return bool(await connection.fetchval("select count(*) from notes where reads is not null") > 0)

    async with migrating(empty_database, folder):
        await eventually(has_begun)
    await end_migration(connection)
    done = await connection.fetchval("select count(*) from notes where reads is not null")
    assert 0 < done < 200
    assert done % 10 == 0

    applied = await migrate(empty_database, sources=sources_in(folder))
    assert [source.path for source in applied] == ["kit/0002_reads.sql"]
    assert await connection.fetchval("select array_agg(reads) from notes") == [1] * 200


async def test_an_unknown_header_is_an_error(empty_database: str) -> None:
    with pytest.raises(ValueError, match="some day"):
        await migrate(empty_database, sources=[Source("kit/0002_late.sql", "-- run: some day\nselect 1")])
