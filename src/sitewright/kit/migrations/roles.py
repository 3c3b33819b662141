"""The roles that tables grant rights to. They belong to the server, not to a database, nor to a dump of one."""

from contextlib import suppress

import asyncpg

from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.kit.migrations.errors import MigrationError
from sitewright.kit.pool import Connection

MAIL_ROLE = "sitewright_mail"
"""What a mail server may see; the operator grants it to the log-in of Dovecot and Postfix."""
BACKUP_ROLE = "sitewright_backup"
"""Its members read all rows of tables that force row-level security on their owner, for pg_dump."""


async def ensure_roles(connection: Connection) -> None:
    await _ensure_membership(connection, SERVICE_ROLE, _right_to_become(connection))
    await _ensure_mail_role(connection)
    await _ensure_membership(connection, BACKUP_ROLE, "USAGE")


async def _ensure_membership(connection: Connection, role: str, right: str) -> None:
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


async def _ensure_mail_role(connection: Connection) -> None:
    """The owner need not be able to become it, only to give it rights."""
    try:
        if not await connection.fetchval("select exists (select from pg_roles where rolname = $1)", MAIL_ROLE):
            await _create_role(connection, MAIL_ROLE)
    except asyncpg.InsufficientPrivilegeError as error:
        raise MigrationError(
            f"The owner may not create the role {MAIL_ROLE}. Let an administrator of the server run:"
            f" create role {MAIL_ROLE} nologin;"
        ) from error


async def _create_role(connection: Connection, role: str) -> None:
    """Roles belong to the server: a migration of another database in it may create this one at the same moment."""
    with suppress(asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
        await connection.execute(f"create role {role} nologin")


def _right_to_become(connection: Connection) -> str:
    """From PostgreSQL 16 on, the creator of a role is a member of it without the right to become it."""
    return "SET" if connection.get_server_version().major >= 16 else "MEMBER"
