"""Applies migrations to a copy of the schema without rows, and observes what each of them locks, reads and writes."""

import re
from collections.abc import Sequence

import asyncpg
import msgspec

from sitewright.kit.migration_plan import store
from sitewright.kit.migration_plan.store import TableName
from sitewright.kit.migrations.applying import statements
from sitewright.kit.migrations.locking import relations_in
from sitewright.kit.migrations.sources import Run, Source
from sitewright.kit.migrations.store import find_tables, lock_tables
from sitewright.kit.pool import Connection

MODES = (
    "AccessShareLock",
    "RowShareLock",
    "RowExclusiveLock",
    "ShareUpdateExclusiveLock",
    "ShareLock",
    "ShareRowExclusiveLock",
    "ExclusiveLock",
    "AccessExclusiveLock",
)
"""From weak to strong, as `pg_locks` names them."""
_BODY = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_CHANGED = re.compile(r"^(?:update|delete from) (\w+)", re.MULTILINE)
_COPIED = re.compile(r"^insert into \w+ [^;]*?\bselect\b[^;]*?\bfrom (\w+)", re.MULTILINE)


class Step(msgspec.Struct, frozen=True):
    """One transaction of a migration: it holds its locks until its end. Only tables that existed before count."""

    path: str
    run: Run
    locks: dict[TableName, str]
    """The strongest mode of each."""
    rewritten: list[TableName]
    """Written anew as a whole, changed row by row, or copied."""
    indexes: dict[str, TableName]
    """The new indexes of existing tables."""
    read: list[TableName]


async def rehearse(connection: Connection, sources: Sequence[Source]) -> list[Step]:
    """The database is left with the migrations applied."""
    existing = frozenset((await store.shape(connection)).files)
    return [
        await _step(connection, source, sql, existing)
        for source in sources
        for sql in (statements(source.sql) if source.run is Run.OUTSIDE_A_TRANSACTION else [source.sql])
    ]


async def _step(connection: Connection, source: Source, sql: str, existing: frozenset[TableName]) -> Step:
    before = await store.shape(connection)
    try:
        async with connection.transaction():
            if source.run is Run.IN_A_TRANSACTION:
                await lock_tables(connection, await find_tables(connection, relations_in(sql)))
            await connection.execute(sql)
            locks, read = await store.own_locks(connection), await store.tables_read(connection)
            after = await store.shape(connection)
    except asyncpg.ActiveSQLTransactionError:  # as `create index concurrently`
        await connection.execute(sql)
        after = await store.shape(connection)
        locks = {after.indexes[name]: {"ShareUpdateExclusiveLock"} for name in after.indexes.keys() - before.indexes}
        read = set(locks)
    rewritten = {name for name in existing & after.files.keys() if after.files[name] != before.files[name]}
    bare = _BODY.sub("", sql)
    rewritten |= existing & {*_CHANGED.findall(bare), *_COPIED.findall(bare)}
    return Step(
        path=source.path,
        run=source.run,
        locks={name: max(modes, key=MODES.index) for name, modes in sorted(locks.items()) if name in existing},
        rewritten=sorted(rewritten),
        indexes={
            name: table for name, table in after.indexes.items() if name not in before.indexes and table in existing
        },
        read=sorted(read & existing),
    )
