"""The service's database log-in: with its own role if possible, and always acting as `sitewright_service`."""

import asyncio
import logging
from urllib.parse import urlsplit

import asyncpg

from sitewright.kit import clock
from sitewright.kit.database_sockets import KeepAliveConnection
from sitewright.kit.login_role import SERVICE_ROLE, SESSION, LoginRole, login_role_of, statements_for
from sitewright.kit.pool import Connection
from sitewright.kit.primary import Hosts
from sitewright.kit.primary.urls import split_hosts

WAIT_SECONDS = 10.0
ROLE_RETRY_SECONDS = 60.0
"""How long the own role is not tried again after the server rejected it."""
REFUSED = (
    asyncpg.InvalidAuthorizationSpecificationError,  # no such role, no pg_hba.conf entry, wrong password
    asyncpg.InsufficientPrivilegeError,  # it may not connect to this database
    asyncpg.ProtocolViolationError,  # a pooler that does not know the role
)
CHECK = """
    select current_user::text as role, rolsuper or rolbypassrls as bypasses_row_security,
           current_setting('statement_timeout') <> '0' as has_statement_timeout
    from pg_roles where rolname = current_user
"""
NAME_RELEASE = "set sitewright.release = '0.2'"
"""Services apply the rules that triggers apply for sessions of the previous release (see `is_previous_release` in the
schema). Remove it together with those triggers."""
_log = logging.getLogger("sitewright.database")


class NotTheServiceRole(Exception):
    """The session would bypass row-level security."""


class ServiceLogin:
    """`own_role`: the URL is the owner's, and `migrate` has created a separate log-in role for the service.

    If the server rejects that role, or the URL is that of another log-in, the session drops privileges with SET ROLE.
    """

    def __init__(self, url: str, *, own_role: bool, name: str, wait_seconds: float) -> None:
        self.hosts = Hosts(url)
        self._role = login_role_of(url) if own_role else None
        self._name = name
        self._wait_seconds = wait_seconds
        self._role_retry_at = 0.0

    async def connect(self) -> Connection:
        if self._role is None or clock.stopwatch() < self._role_retry_at:
            connection, _ = await self._session(None)
            return connection
        try:
            connection, _ = await self._session(self._role)
        except REFUSED as refusal:
            connection, was_service = await self._session(None)
            self._record_rejection(self._role, refusal, was_service=was_service)
        return connection

    def _record_rejection(self, role: LoginRole, refusal: Exception, *, was_service: bool) -> None:
        """If the URL's own log-in is already the service's, the separate role is not needed."""
        if was_service:
            self._role = None
            return
        self._role_retry_at = clock.stopwatch() + ROLE_RETRY_SECONDS
        _log.warning("the role %s cannot log in (%s); see sitewright doctor", role.name, refusal)

    async def _session(self, role: LoginRole | None) -> tuple[Connection, bool]:
        """A session, and whether it had the service role from the start. A pooler may accept it and then block."""
        connection = await self._open(role)
        try:
            async with asyncio.timeout(self._wait_seconds):
                was_service = await _become_service(connection)
                await connection.execute(NAME_RELEASE)
                return connection, was_service
        except BaseException:
            connection.terminate()
            raise

    async def _open(self, role: LoginRole | None) -> Connection:
        """Sets no start-up parameter except application_name: poolers drop or reject others."""
        return await self.hosts.connect(
            user=None if role is None else role.name,
            password=None if role is None else role.password,
            wait_seconds=self._wait_seconds,
            server_settings={"application_name": f"sitewright {self._name}"},
            connection_class=KeepAliveConnection,
        )


async def _become_service(connection: Connection) -> bool:
    """Drop privileges to the service role; returns whether the session had it already."""
    if await is_service(connection):
        return True
    await connection.execute(";".join(f"set {setting} = '{value}'" for setting, value in SESSION.items()))
    if not await is_service(connection):
        raise NotTheServiceRole(f"{SERVICE_ROLE} is a superuser or may bypass row-level security")
    return False


async def is_service(connection: Connection) -> bool:
    """Whether the session has the service role. Not cached as a prepared statement: DISCARD ALL would drop it."""
    found = await (await connection.prepare(CHECK)).fetchrow()
    if found is None:
        return False
    return (found["role"], found["bypasses_row_security"], found["has_statement_timeout"]) == (
        SERVICE_ROLE,
        False,
        True,
    )


async def check_login(url: str, *, own_role: bool) -> str | None:
    """Instructions for giving the service its own log-in role; None if it has one.

    Raises `NotTheServiceRole` if the service cannot work, and the driver's errors if the database is unavailable.
    """
    log_in = ServiceLogin(url, own_role=own_role, name="check", wait_seconds=WAIT_SECONDS)
    remedy = _remedy("sitewright_login", create=True) if own_role else _remedy(_user_of(url))
    try:
        connection = await log_in.connect()
    except (asyncpg.InsufficientPrivilegeError, NotTheServiceRole) as error:
        raise NotTheServiceRole(f"The service cannot act as the role {SERVICE_ROLE}: {error}. {remedy}") from error
    try:
        await connection.execute("discard all")
        return None if await is_service(connection) else remedy
    finally:
        await connection.close(timeout=WAIT_SECONDS)


def _user_of(url: str) -> str:
    return urlsplit(split_hosts(url)[0]).username or "<user>"


def _remedy(role: str, *, create: bool = False) -> str:
    """The statements for an administrator of the server, and the settings to change afterwards."""
    statements = [f"create role {role} login password '<password>'"] if create else []
    instructions = f"Run: {'; '.join([*statements, *statements_for(role)])};"
    if create:
        instructions += (
            " Then set SITEWRIGHT_OWNER_DATABASE_URL to the present URL and SITEWRIGHT_DATABASE_URL to this role's."
        )
    return instructions
