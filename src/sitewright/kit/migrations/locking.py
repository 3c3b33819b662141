"""Takes all locks of a migration before it changes anything, so that requests never end in a deadlock with it.

A migration that locked one table after the other would deadlock with requests that use them in another order, and
PostgreSQL would abort a request. Here all locks are taken within less time than PostgreSQL waits before it looks for
deadlocks, or given back; then requests go on, and after a pause the migration tries again.
"""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Sequence

from sitewright.kit import clock
from sitewright.kit.migrations import store
from sitewright.kit.migrations.errors import MigrationError
from sitewright.kit.pool import Connection

GIVE_UP_SECONDS = 600
PAUSE_SECONDS = 1.0
_BODY = re.compile(r"\$\$.*?\$\$|--[^\n]*", re.DOTALL)
_TABLES = re.compile(
    r"\b(?:alter table|drop table|truncate|update|insert into|delete from|references|on)\s+(?:if exists )?(?=(\w+))"
)
"""The name is not consumed: after `insert or update on users`, `on` is the next match."""
_INDEXES = re.compile(r"\b(?:drop|alter) index\s+(?:if exists )?([\w, ]+)")


async def change_with_locks(connection: Connection, sql: str, change: Callable[[], Awaitable[None]]) -> None:
    """Run `change` in a transaction that begins with the locks that `sql` needs.

    The table that could not be locked comes first at the next attempt: so the order becomes that of the requests,
    which finish with the first table while they wait for none of the others.
    """
    tables = await store.find_tables(connection, relations_in(sql))
    deadline = clock.stopwatch() + GIVE_UP_SECONDS
    while (in_use := await _try(connection, tables, change)) is not None:
        if clock.stopwatch() > deadline:
            raise MigrationError(
                f"The tables were in use all the time, for {GIVE_UP_SECONDS // 60} minutes: long transactions prevent"
                " this migration (pg_stat_activity shows them, by xact_start). End them, or run it again at a quiet"
                " time. Nothing of this step was changed."
            )
        tables.sort(key=lambda table: table != in_use)
        await asyncio.sleep(PAUSE_SECONDS * random.uniform(0.2, 1.0))  # noqa: S311 - jitter


async def _try(connection: Connection, tables: Sequence[str], change: Callable[[], Awaitable[None]]) -> str | None:
    """The table that could not be locked in time; then nothing was changed."""
    try:
        async with connection.transaction():
            await store.lock_tables(connection, tables)
            await change()
    except store.TableInUse as found:
        return found.table
    return None


def relations_in(sql: str) -> set[str]:
    """The names of tables and indexes that the statements change or refer to, outside of function bodies."""
    bare = _BODY.sub("", sql)
    indexes = (name.strip() for names in _INDEXES.findall(bare) for name in names.split(","))
    return {*_TABLES.findall(bare), *(name.split()[0] for name in indexes if name)}
