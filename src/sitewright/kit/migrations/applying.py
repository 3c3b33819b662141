"""Runs one file, in the way that its header names, and records it."""

import re
from collections.abc import Sequence

from sitewright.kit.migrations import store
from sitewright.kit.migrations.locking import change_with_locks
from sitewright.kit.migrations.sources import Run, Source
from sitewright.kit.pool import Connection

_STATEMENT_END = re.compile(r";[ \t]*(?:--[^\n]*)?(?:\n|\Z)")
_COMMENT = re.compile(r"^[ \t]*+--[^\n]*+\n?", re.MULTILINE)
_INDEX = re.compile(r"create (?:unique )?index concurrently (?:if not exists )?(\w+)\s", re.IGNORECASE)


async def apply(connection: Connection, source: Source, release: str) -> None:
    """Runs and records a file. If the process is killed at any moment, the next one continues."""
    match source.run:
        case Run.IN_A_TRANSACTION:
            await run_in_a_transaction(connection, source, [source], release)
        case Run.OUTSIDE_A_TRANSACTION:
            await run_outside_a_transaction(connection, source)
            await store.record(connection, [source], release)
        case Run.IN_BATCHES:
            await _run_in_batches(connection, source)
            await store.record(connection, [source], release)


async def run_in_a_transaction(
    connection: Connection, source: Source, recorded: Sequence[Source], release: str
) -> None:
    async def change() -> None:
        await connection.execute(source.sql)
        await store.record(connection, recorded, release)

    await change_with_locks(connection, source.sql, change)


async def run_outside_a_transaction(connection: Connection, source: Source) -> None:
    """Statement by statement: several at once would be one transaction. Timeouts are long, since no
    request waits for these statements."""
    await store.set_timeouts(connection, lock="1h", statement="12h")
    for statement in statements(source.sql):
        index = _INDEX.search(statement)
        valid = await store.is_valid_index(connection, index[1]) if index else None
        if index and valid is False:
            await store.drop_invalid_index(connection, index[1])
        if not valid:
            await connection.execute(statement)
    await store.set_timeouts(connection)


async def _run_in_batches(connection: Connection, source: Source) -> None:
    """Repeats the statement, each time in a transaction of its own, until it changes no more rows."""
    changed = 1
    while changed:
        status = await connection.execute(source.sql)
        changed = int(status.rpartition(" ")[2])


def statements(sql: str) -> list[str]:
    """Each ends with a semicolon at the end of a line."""
    parts = [_COMMENT.sub("", part).strip() for part in _STATEMENT_END.split(sql)]
    return [part for part in parts if part]
