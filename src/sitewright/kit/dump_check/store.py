"""What is compared: rows by table, constraints and indexes. Names come from the catalog, never from input."""
# ruff: noqa: S608

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sitewright.kit.pool import Connection
from sitewright.kit.primary import connect

READER = "pg_dump"
"""The application name by which policies let the owner read tables that force row-level security on it."""


@asynccontextmanager
async def open_snapshot(owner_url: str) -> AsyncIterator[tuple[Connection, str]]:
    """A transaction that sees one moment of the database, and the name by which pg_dump sees the same."""
    connection = await connect(owner_url, wait_seconds=10, server_settings={"application_name": READER})
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.execute("set local statement_timeout = 0")
            await connection.execute("set local idle_in_transaction_session_timeout = 0")
            yield connection, await connection.fetchval("select pg_export_snapshot()")
    finally:
        await connection.close()


async def count_rows(connection: Connection) -> dict[str, int]:
    """Rows of every table. Tables of extensions, and the log of jobs, are part of a dump too."""
    tables = await connection.fetch(
        "select format('%I.%I', schemaname, tablename) from pg_tables"
        " where schemaname not in ('pg_catalog', 'information_schema') order by 1"
    )
    return {table: await connection.fetchval(f"select count(*) from {table}") for (table,) in tables}


async def list_keys(connection: Connection) -> set[str]:
    """Primary, unique and foreign keys and checks; a restore adds them after the rows, so every row satisfies them."""
    rows = await connection.fetch(
        "select format('%s of %s', conname, conrelid::regclass) from pg_constraint c"
        " join pg_namespace n on n.oid = c.connamespace"
        " where conrelid <> 0 and contype in ('p', 'u', 'f', 'c', 'x') and convalidated"
        " and nspname not in ('pg_catalog', 'information_schema')"
    )
    return {row[0] for row in rows}
