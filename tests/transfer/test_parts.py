"""A large table is exported in parts over several connections: the archive is the same as with one."""

import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.transfer.archive import MANIFEST
from sitewright.transfer.exports import parts
from sitewright.transfer.exports.store import split
from sitewright.transfer.store import connect, read_schema
from tests.support.cast import OWN_BRAND
from tests.support.transfer import export
from tests.support.users import OwnerConnection
from tests.transfer.conftest import Exported

CONNECTIONS = 3
TWO_LINES = "select line::text from generate_series({0}1, {0}2) line"


@pytest.fixture(autouse=True)
def several_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "usable_cpus", lambda: CONNECTIONS)


@pytest.fixture
async def readers(database_url: str) -> AsyncIterator[list[Transaction]]:
    owner = await asyncpg.connect(database_url)
    try:
        async with (
            owner.transaction(isolation="repeatable_read", readonly=True),
            parts.open_readers(database_url, owner, OWN_BRAND) as opened,
        ):
            yield opened
    finally:
        await owner.close()


def contents(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != MANIFEST}


@pytest.mark.parametrize("rows", [1, 2, 4])
async def test_parts_are_written_in_their_order(
    exported: Exported,
    resources: Resources,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: int,
) -> None:
    await export(resources, database_url, tmp_path / "whole.zip", None)
    monkeypatch.setattr(parts, "ROWS", rows)
    await export(resources, database_url, tmp_path / "parts.zip", None)
    whole = contents(tmp_path / "whole.zip")
    assert contents(tmp_path / "parts.zip") == whole
    assert max(each.count(b"\n") for each in whole.values()) > rows * CONNECTIONS


async def test_every_table_can_be_split(exported: Exported, owner_connection: OwnerConnection) -> None:
    """By keys of any number of columns and of any type."""
    for table in (await read_schema(owner_connection)).exported:
        conditions = await split(owner_connection, table, OWN_BRAND, 1)
        counted = f"select count(*) from {table.name} t where t.brand_ref = {OWN_BRAND}"
        counts = [await owner_connection.fetchval(counted + each) for each in conditions]
        assert max(counts) <= 1
        assert sum(counts) == await owner_connection.fetchval(counted)


async def test_all_connections_have_the_same_snapshot(
    exported: Exported, readers: list[Transaction], owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("delete from search_terms where brand_ref = $1", OWN_BRAND)
    assert len(readers) == CONNECTIONS
    assert all([await each.fetchval("select exists (select from search_terms)") for each in readers])


async def test_connections_may_wait_for_each_other(database_url: str) -> None:
    """Also where the server ends transactions that wait for their client."""
    separator = "&" if "?" in database_url else "?"
    url = f"{database_url}{separator}idle_in_transaction_session_timeout=1000"
    connection = await connect(url, "sitewright brands export")
    try:
        assert await connection.fetchval("show idle_in_transaction_session_timeout") == "0"
    finally:
        await connection.close()


async def test_an_error_of_a_part_ends_the_export_with_that_error(readers: list[Transaction]) -> None:
    written = bytearray()

    async def write(lines: bytes | bytearray) -> None:
        written.extend(lines)

    queries = [TWO_LINES.format(number) for number in range(4)] + ["select (1 / 0)::text"]
    with pytest.raises(asyncpg.DivisionByZeroError):
        await parts.copy_parts(readers, queries, write)
    assert b"1\n2\n11\n12\n21\n22\n31\n32\n".startswith(written)


async def test_an_error_while_writing_ends_the_reading(readers: list[Transaction]) -> None:
    async def write(_lines: bytes | bytearray) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        await parts.copy_parts(readers, [TWO_LINES.format(number) for number in range(9)], write)
