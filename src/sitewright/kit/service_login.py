"""Logging in as the service: by its own role where that can be done, and never as anybody but `sitewright_service`."""

import asyncio
import logging
from urllib.parse import urlsplit

import asyncpg

from sitewright.kit import clock
from sitewright.kit.database_sockets import WatchfulConnection
from sitewright.kit.login_role import SERVICE_ROLE, SESSION, LoginRole, login_role_of, statements_for
from sitewright.kit.pool import Connection

WAIT_SECONDS = 10.0
AS_GIVEN_SECONDS = 60.0
"""How long a role that was refused is not tried again."""
REFUSED = (
    asyncpg.InvalidAuthorizationSpecificationError,  # no such role, no line for it in pg_hba.conf, a wrong password
    asyncpg.InsufficientPrivilegeError,  # it may not connect to this database
    asyncpg.ProtocolViolationError,  # a pooler that does not know it
)
CHECK = """
    select current_user::text as role, rolsuper or rolbypassrls as is_above_walls,
           current_setting('statement_timeout') <> '0' as has_time_limit
    from pg_roles where rolname = current_user
"""
NAME_RELEASE = "set sitewright.release = '0.2'"
"""Services apply the rules that triggers apply for sessions of the previous release (see `is_previous_release` in the
schema). Remove it together with those triggers."""
_log = logging.getLogger("sitewright.database")


class NotTheServiceRole(Exception):
    """The session would not be held by row-level security."""


class ServiceLogin:
    """`own_role`: the URL is the owner's, for which `migrate` has made a role that the service logs in as.

    Where that one is refused, and where the URL is that of another log-in, the session steps down by SET ROLE.
    """

    def __init__(self, url: str, *, own_role: bool, name: str, wait_seconds: float) -> None:
        self._url = url
        self._role = login_role_of(url) if own_role else None
        self._name = name
        self._wait_seconds = wait_seconds
        self._as_given_until = 0.0

    async def connect(self) -> Connection:
        if self._role is None or clock.stopwatch() < self._as_given_until:
            connection, _ = await self._session(None)
            return connection
        try:
            connection, _ = await self._session(self._role)
        except REFUSED as refusal:
            connection, was_service = await self._session(None)
            self._remember(self._role, refusal, was_service=was_service)
        return connection

    def _remember(self, role: LoginRole, refusal: Exception, *, was_service: bool) -> None:
        """A URL that is not the owner's but that of a log-in for the service needs no other one."""
        if was_service:
            self._role = None
            return
        self._as_given_until = clock.stopwatch() + AS_GIVEN_SECONDS
        _log.warning("the role %s cannot log in (%s); see sitewright doctor", role.name, refusal)

    async def _session(self, role: LoginRole | None) -> tuple[Connection, bool]:
        """And whether it was the service's from the beginning. A pooler may let it in and then keep it waiting."""
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
        """No start-up parameter but the name: poolers drop or reject others."""
        return await asyncpg.connect(
            self._url,
            user=None if role is None else role.name,
            password=None if role is None else role.password,
            timeout=self._wait_seconds,
            server_settings={"application_name": f"sitewright {self._name}"},
            connection_class=WatchfulConnection,
        )


async def _become_service(connection: Connection) -> bool:
    """Whether it was already. Where not, it steps down; where it cannot, it is of no use."""
    if await is_service(connection):
        return True
    await connection.execute(";".join(f"set {setting} = '{value}'" for setting, value in SESSION.items()))
    if not await is_service(connection):
        raise NotTheServiceRole(f"{SERVICE_ROLE} is a superuser or may bypass row-level security")
    return False


async def is_service(connection: Connection) -> bool:
    """Not a statement that the driver keeps: DISCARD ALL would take it away."""
    found = await (await connection.prepare(CHECK)).fetchrow()
    if found is None:
        return False
    return (found["role"], found["is_above_walls"], found["has_time_limit"]) == (SERVICE_ROLE, False, True)


async def check_login(url: str, *, own_role: bool) -> str | None:
    """What to do so that the service logs in as a role of its own; None where it does.

    Raises `NotTheServiceRole` where the service cannot work, and what the driver raises where the database is away.
    """
    log_in = ServiceLogin(url, own_role=own_role, name="check", wait_seconds=WAIT_SECONDS)
    remedy = _remedy("sitewright_login", create=True) if own_role else _remedy(urlsplit(url).username or "<user>")
    try:
        connection = await log_in.connect()
    except (asyncpg.InsufficientPrivilegeError, NotTheServiceRole) as error:
        raise NotTheServiceRole(f"The service cannot act as the role {SERVICE_ROLE}: {error}. {remedy}") from error
    try:
        await connection.execute("discard all")
        return None if await is_service(connection) else remedy
    finally:
        await connection.close(timeout=WAIT_SECONDS)


def _remedy(role: str, *, create: bool = False) -> str:
    """What an administrator of the server runs, and what to set afterwards."""
    statements = [f"create role {role} login password '<password>'"] if create else []
    said = f"Run: {'; '.join([*statements, *statements_for(role)])};"
    if create:
        said += " Then set SITEWRIGHT_OWNER_DATABASE_URL to the present URL and SITEWRIGHT_DATABASE_URL to this role's."
    return said
