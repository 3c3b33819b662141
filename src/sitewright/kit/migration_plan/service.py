"""Combines what a rehearsal observed with the sizes of the real tables."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import asyncpg
import msgspec

from sitewright.kit.dumps import check_is_empty, read_dump, write_dump
from sitewright.kit.embedded import scratch_server
from sitewright.kit.migration_plan import store
from sitewright.kit.migration_plan.rehearsal import MODES, Step, rehearse
from sitewright.kit.migration_plan.store import Size, TableName
from sitewright.kit.migrations.runner import find_missing
from sitewright.kit.migrations.sources import Run, Source
from sitewright.kit.primary import connect

READ_BYTES, INDEX_BYTES, WRITE_BYTES, BATCH_BYTES = 150_000_000, 25_000_000, 10_000_000, 5_000_000
"""Bytes of a table a second: reading it, building one index, writing it anew with its indexes, changing it in batches.
Measured on a busy machine (decision 0179), so that estimates are rather too long."""
BLOCKS_WRITES = MODES.index("ShareLock")


class PlannedStep(msgspec.Struct, frozen=True):
    step: Step
    seconds: float
    """For how long it runs, and holds its locks."""

    @property
    def blocked(self) -> dict[TableName, str]:
        """The locks for which requests have to wait; in batches, only for rows of one batch."""
        return {table: mode for table, mode in self.step.locks.items() if MODES.index(mode) >= BLOCKS_WRITES}


class Plan(msgspec.Struct, frozen=True):
    steps: list[PlannedStep]
    sizes: dict[TableName, Size]
    is_new: bool = False
    """The database has no tables yet."""

    @property
    def longest_wait(self) -> float:
        """The longest time for which requests wait."""
        return max((each.seconds for each in self.steps if each.blocked), default=0.0)


def make_plan(owner_url: str, sources: Sequence[Source] | None = None) -> Plan:
    """Nothing is changed or locked in the database: only its schema is copied to a temporary server."""
    missing, sizes = asyncio.run(_read(owner_url, sources))
    if not missing or not sizes:
        return Plan([], sizes, is_new=not sizes)
    with tempfile.TemporaryDirectory(prefix="sitewright-schema-") as folder, scratch_server() as scratch_url:
        schema = Path(folder) / "schema.dump"
        write_dump(owner_url, schema, "--schema-only")
        asyncio.run(check_is_empty(scratch_url))
        read_dump(scratch_url, schema)
        steps = asyncio.run(_rehearse(scratch_url, missing))
    return Plan([PlannedStep(step, estimate(step, sizes)) for step in steps], sizes)


async def _read(owner_url: str, sources: Sequence[Source] | None) -> tuple[list[Source], dict[TableName, Size]]:
    connection = await connect(owner_url, wait_seconds=10)
    try:
        return await find_missing(connection, sources), await store.table_sizes(connection)
    finally:
        await connection.close()


async def _rehearse(scratch_url: str, missing: Sequence[Source]) -> list[Step]:
    connection = await asyncpg.connect(scratch_url, timeout=10)
    try:
        return await rehearse(connection, missing)
    finally:
        await connection.close()


def estimate(step: Step, sizes: dict[TableName, Size]) -> float:
    """Seconds. A table that an index is built on, or that is written anew, is not counted as read again."""

    def bytes_of(table: TableName) -> int:
        return sizes[table].bytes if table in sizes else 0

    if step.run is Run.IN_BATCHES:
        return sum(bytes_of(table) for table in step.rewritten) / BATCH_BYTES
    covered = {*step.rewritten, *step.indexes.values()}
    return (
        sum(bytes_of(table) for table in step.rewritten) / WRITE_BYTES
        + sum(bytes_of(table) for table in step.indexes.values()) / INDEX_BYTES
        + sum(bytes_of(table) for table in step.read if table not in covered) / READ_BYTES
    )
