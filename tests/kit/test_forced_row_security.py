"""Row-level security applies to the owner too, on every table that no command accesses as the owner."""

import re
from pathlib import Path

import asyncpg

from sitewright.features import SEALED_COLUMNS

SOURCE = Path(__file__).parents[2] / "src/sitewright"
RUN_AS_OWNER = [SOURCE / "catalogue/file/store.py"]
"""Tables that commands access as the owner, besides the columns that `keys` re-encrypts; backups have a policy."""
VIEWS = """
    select pg_get_viewdef(oid) from pg_class
    where relkind = 'v' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      and not coalesce('security_invoker=true' = any(reloptions), false)
"""
"""Views that run with the rights of their owner."""


async def _read_by_the_owner(owner: "asyncpg.Connection[asyncpg.Record]", tables: set[str]) -> set[str]:
    functions = await owner.fetch("select pg_get_functiondef(oid) from pg_proc where prosecdef")
    views = await owner.fetch(VIEWS)
    texts = [row[0] for row in (*functions, *views)] + [file.read_text() for file in RUN_AS_OWNER]
    named = {table for table in tables if any(re.search(rf"\b{table}\b", text) for text in texts)}
    return named | {column.table for column in SEALED_COLUMNS if column.table in tables}


async def test_it_is_forced_on_tables_that_the_owner_does_not_use(
    owner_connection: "asyncpg.Connection[asyncpg.Record]",
) -> None:
    rows = await owner_connection.fetch(
        "select relname, relforcerowsecurity from pg_class"
        " where relrowsecurity and relnamespace = 'public'::regnamespace"
    )
    is_forced = dict(map(tuple, rows))
    expected = set(is_forced) - await _read_by_the_owner(owner_connection, set(is_forced))
    assert {table for table, forced in is_forced.items() if forced} == expected
    assert {"pages", "widgets", "profiles", "charges", "lifecycle_events"} <= expected
