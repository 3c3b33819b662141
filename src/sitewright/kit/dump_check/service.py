"""Writes a backup, restores it into a scratch server, and compares rows, keys and secrets with the database."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import asyncpg
import msgspec

from sitewright.kit import rotation
from sitewright.kit.dump_check import store
from sitewright.kit.dumps import DumpError, check_is_empty, read_dump, write_dump
from sitewright.kit.embedded import scratch_server
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.kit.sealing import Sealer

MOST_LISTED = 10


class Content(msgspec.Struct, frozen=True):
    rows: dict[str, int]
    """By table."""
    keys: set[str]


class Verified(msgspec.Struct, frozen=True):
    tables: int
    rows: int
    keys: int
    secrets: int


def write_verified_dump(owner_url: str, file: Path, sealer: Sealer, columns: Sequence[SealedColumn]) -> Verified:
    """Raises DumpError if the backup does not hold what the database held; the file stays, for examination."""
    expected = asyncio.run(_write_and_count(owner_url, file))
    with scratch_server() as scratch_url:
        asyncio.run(check_is_empty(scratch_url))
        read_dump(scratch_url, file)
        return asyncio.run(_compare(scratch_url, expected, sealer, columns))


async def _write_and_count(owner_url: str, file: Path) -> Content:
    """The rows are counted in the snapshot that pg_dump reads, while the service goes on writing."""
    async with store.open_snapshot(owner_url) as (connection, snapshot):
        await asyncio.to_thread(write_dump, owner_url, file, f"--snapshot={snapshot}")
        return Content(await store.count_rows(connection), await store.list_keys(connection))


async def _compare(scratch_url: str, expected: Content, sealer: Sealer, columns: Sequence[SealedColumn]) -> Verified:
    connection = await asyncpg.connect(scratch_url, timeout=10)
    try:
        found = Content(await store.count_rows(connection), await store.list_keys(connection))
        secrets, unreadable = await rotation.check_all(connection, sealer, columns)
    finally:
        await connection.close()
    wrong = differences(expected, found, unreadable)
    if wrong:
        raise DumpError(f"The backup was written, but it is not complete: {'; '.join(wrong[:MOST_LISTED])}.")
    return Verified(len(found.rows), sum(found.rows.values()), len(found.keys), secrets)


def differences(expected: Content, found: Content, unreadable: Counter[str]) -> list[str]:
    """For operators; `unreadable`: encrypted values by column that no key decrypts."""
    return [
        *(
            f"{table} has {found.rows.get(table, 0)} rows instead of {count}"
            for table, count in expected.rows.items()
            if found.rows.get(table) != count
        ),
        *(f"the key {key} is missing" for key in sorted(expected.keys - found.keys)),
        *(f"{count} values of {column} open with no master key that is here" for column, count in unreadable.items()),
    ]
