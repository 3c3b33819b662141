"""Row-level security applies to the owner too, on every table that no command accesses as the owner."""

import re
from collections.abc import Iterable
from pathlib import Path

import asyncpg

from sitewright.features import SEALED_COLUMNS

SOURCE = Path(__file__).parents[2] / "src/sitewright"
RUN_AS_OWNER = [SOURCE / "catalogue/file/store.py"]
"""Tables that commands access as the owner, besides the columns that `keys` re-encrypts; backups have a policy."""
VIEWS = """
    select relname, pg_get_viewdef(oid), coalesce('security_invoker=true' = any(reloptions), false) from pg_class
    where relkind = 'v' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
"""
"""The last column: whether a view runs with the rights of its reader, else with those of its owner."""


async def _read_by_the_owner(owner: "asyncpg.Connection[asyncpg.Record]", tables: set[str]) -> set[str]:
    functions = await owner.fetch("select pg_get_functiondef(oid) from pg_proc where prosecdef")
    views = await owner.fetch(VIEWS)
    texts = [row[0] for row in functions] + [file.read_text() for file in RUN_AS_OWNER]
    texts += [definition for _name, definition, is_readers in views if not is_readers]
    texts = _with_views(texts, {name: definition for name, definition, is_readers in views if is_readers})
    return _named(tables, texts) | {column.table for column in SEALED_COLUMNS if column.table in tables}


def _with_views(texts: list[str], views: dict[str, str]) -> list[str]:
    """With the definitions of the views that they name, and of the views that these name."""
    named = _named(views, texts)
    if not named:
        return texts
    others = {name: definition for name, definition in views.items() if name not in named}
    return _with_views(texts + [views[name] for name in named], others)


def _named(names: Iterable[str], texts: list[str]) -> set[str]:
    return {name for name in names if any(re.search(rf"\b{name}\b", text) for text in texts)}


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
