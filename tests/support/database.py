"""A clean database for every test: deletes a test's rows and restores the baseline. Also compares rows, and gives
resources another database."""

from typing import Any, TypeAlias

import msgspec

from sitewright.kit.db import Database
from sitewright.kit.replicas import ReadDatabase
from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection

KEPT = ("schema_files", "schema_migrations")
_RESTORE = """
create procedure {kept_in}.restore() language plpgsql as $$
declare
    has_triggers constant boolean := current_setting('session_replication_role') <> 'replica';
begin
    if has_triggers then set session_replication_role = replica; end if;
    {statements};
    if has_triggers then set session_replication_role = origin; end if;
end $$
"""
Rows: TypeAlias = dict[str, list[tuple[Any, ...]]]


async def keep_as_baseline(owner: OwnerConnection, kept_in: str = "baseline") -> str:
    """Copy all current rows to the baseline; returns the statement that restores it.

    Its plans are kept by a session that has `session_replication_role = replica` already: setting it drops all plans.
    """
    await owner.execute(f"drop schema if exists {kept_in} cascade; create schema {kept_in}")
    statements = []
    tables = await owner.fetch(
        "select schemaname, tablename from pg_tables where schemaname in ('public', 'jobs') and tablename <> all($1)",
        KEPT,
    )
    for schema, table in tables:
        statements.append(f'delete from {schema}."{table}"')
        if await owner.fetchval(f'select exists (select from {schema}."{table}")'):
            columns = await _columns(owner, schema, table)
            await owner.execute(f'create table {kept_in}."{table}" as select {columns} from {schema}."{table}"')
            into = f'insert into {schema}."{table}" ({columns}) overriding system value'
            statements.append(f'{into} table {kept_in}."{table}"')
    await owner.execute(_RESTORE.format(kept_in=kept_in, statements="; ".join(statements)))
    return f"call {kept_in}.restore()"


async def _columns(owner: OwnerConnection, schema: str, table: str) -> str:
    """Without generated columns."""
    names: str = await owner.fetchval(
        "select string_agg(quote_ident(column_name), ', ' order by ordinal_position) from information_schema.columns"
        " where table_schema = $1 and table_name = $2 and is_generated = 'NEVER'",
        schema,
        table,
    )
    return names


async def rows_of(owner: OwnerConnection, tables: tuple[str, ...]) -> Rows:
    """Every row of the tables, to compare with another moment."""
    return {
        table: [tuple(row) for row in await owner.fetch(f"select * from {table} order by 1, 2, 3")] for table in tables
    }


def with_database(resources: Resources, database: Database) -> Resources:
    """The same resources on another database, without replicas."""
    return msgspec.structs.replace(resources, database=database, reads=ReadDatabase(database))
