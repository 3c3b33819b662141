"""A clean database for every test: what a test wrote is deleted, and the baseline is put back."""

import asyncpg

KEPT = "schema_migrations"


async def keep_as_baseline(owner: "asyncpg.Connection[asyncpg.Record]") -> str:
    """Copy every row there is now; returns the statement that brings the database back to it."""
    await owner.execute("create schema baseline")
    statements = ["set session_replication_role = replica"]
    tables = await owner.fetch(
        "select schemaname, tablename from pg_tables where schemaname in ('public', 'jobs') and tablename <> $1", KEPT
    )
    for schema, table in tables:
        statements.append(f'delete from {schema}."{table}"')
        if await owner.fetchval(f'select exists (select from {schema}."{table}")'):
            await owner.execute(f'create table baseline."{table}" as table {schema}."{table}"')
            statements.append(f'insert into {schema}."{table}" overriding system value table baseline."{table}"')
    statements.append("set session_replication_role = origin")
    return "begin;" + ";".join(statements) + ";commit"
