"""SQL migrations: plain numbered files, applied by the owner of the tables under one advisory lock."""

import re
from contextlib import suppress
from functools import cache
from importlib.resources import files

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.login_role import SERVICE_ROLE, ensure_login_role, login_role_of

ADVISORY_LOCK = 7_483_201_955_012_846
MAIL_ROLE = "sitewright_mail"
"""What a mail server may see; the operator grants it to the log-in of Dovecot and Postfix."""
BACKUP_ROLE = "sitewright_backup"
"""Whose members read all rows of tables that force row-level security on their owner, for pg_dump."""


class MigrationError(Exception):
    """Why the database cannot be brought up to date, and what to do."""


class Migration(msgspec.Struct, frozen=True):
    number: int
    name: str
    sql: str


@cache
def all_migrations() -> list[Migration]:
    found = [
        Migration(int(match[1]), match[2], file.read_text(encoding="utf-8"))
        for file in files("sitewright.migrations").iterdir()
        if (match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name))
    ]
    return sorted(found, key=lambda migration: migration.number)


async def migrate(owner_url: str, *, own_role: bool = True) -> list[Migration]:
    """Apply what is missing, each file in a transaction of its own. Safe when several processes start at once.

    `own_role`: no log-in was made for the service, so one is.
    """
    from sitewright.kit.jobs.queue import install_queue  # noqa: PLC0415 - a third of a second, for this alone

    connection = await asyncpg.connect(owner_url, timeout=10)
    try:
        await connection.execute("select pg_advisory_lock($1)", ADVISORY_LOCK)
        await connection.execute("set lock_timeout = '5s'; set statement_timeout = '60s'")
        await ensure_roles(connection)
        await install_queue(connection)
        await connection.execute(
            "create table if not exists schema_migrations"
            " (number integer primary key, name text not null, applied_at timestamptz not null default now());"
            f" grant select on schema_migrations to {SERVICE_ROLE}; grant usage on schema public to {SERVICE_ROLE}"
        )
        await connection.execute(f"revoke create on schema public from public, {SERVICE_ROLE}")
        missing = await pending(connection)
        for migration in missing:
            await _apply(connection, migration)
        if own_role:
            await ensure_login_role(connection, login_role_of(owner_url))
        return missing
    finally:
        await connection.close()


async def pending(connection: Transaction) -> list[Migration]:
    """What this release brings and the database lacks. A database that is ahead of us lacks nothing."""
    if await connection.fetchval("select to_regclass('public.schema_migrations')") is None:
        return all_migrations()
    applied = {row["number"] for row in await connection.fetch("select number from schema_migrations")}
    return [migration for migration in all_migrations() if migration.number not in applied]


async def has_tables(connection: Transaction) -> bool:
    return await connection.fetchval("select exists (select from pg_tables where schemaname = 'public')") is True


async def _apply(connection: "asyncpg.Connection[asyncpg.Record]", migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(migration.sql)
        await connection.execute(
            "insert into schema_migrations (number, name) values ($1, $2)", migration.number, migration.name
        )


async def ensure_roles(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """The roles that tables grant rights to. They belong to the server, not to a database, nor to a dump of one."""
    await _ensure_membership(connection, SERVICE_ROLE, _right_to_become(connection))
    await _ensure_mail_role(connection)
    await _ensure_membership(connection, BACKUP_ROLE, "USAGE")


async def _ensure_membership(connection: "asyncpg.Connection[asyncpg.Record]", role: str, right: str) -> None:
    """The role exists, and the owner has the named right of a member."""
    try:
        if not await connection.fetchval("select exists (select from pg_roles where rolname = $1)", role):
            await _create_role(connection, role)
        if not await connection.fetchval("select pg_has_role(current_user, $1, $2)", role, right):
            await connection.execute(f"grant {role} to current_user")
    except asyncpg.InsufficientPrivilegeError as error:
        raise MigrationError(
            f"The owner may not create the role {role}. Let an administrator of the server run:"
            f" create role {role} nologin; grant {role} to <owner>;"
        ) from error


async def _ensure_mail_role(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """The owner need not be able to become it, only to give it rights."""
    try:
        if not await connection.fetchval("select exists (select from pg_roles where rolname = $1)", MAIL_ROLE):
            await _create_role(connection, MAIL_ROLE)
    except asyncpg.InsufficientPrivilegeError as error:
        raise MigrationError(
            f"The owner may not create the role {MAIL_ROLE}. Let an administrator of the server run:"
            f" create role {MAIL_ROLE} nologin;"
        ) from error


async def _create_role(connection: "asyncpg.Connection[asyncpg.Record]", role: str) -> None:
    """Roles belong to the server: a migration of another database in it may make this one in the same moment."""
    with suppress(asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
        await connection.execute(f"create role {role} nologin")


def _right_to_become(connection: "asyncpg.Connection[asyncpg.Record]") -> str:
    """From PostgreSQL 16 on, who creates a role is its member without the right to become it."""
    return "SET" if connection.get_server_version().major >= 16 else "MEMBER"
