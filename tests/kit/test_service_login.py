"""The service logs in with its own role, and every connection acts as `sitewright_service`."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from sitewright.kit.db import open_database
from sitewright.kit.login_role import SERVICE_ROLE, login_role_of, statements_for
from sitewright.kit.pool import Connection
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.service_login import NotTheServiceRole, ServiceLogin, check_login, is_service
from tests.support.users import OwnerConnection


def _as(url: str, user: str, password: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{user}:{password}@{parts.netloc.rpartition('@')[2]}"))


async def _connect(url: str, *, own_role: bool = True) -> Connection:
    return await ServiceLogin(url, own_role=own_role, name="test", wait_seconds=5).connect()


@pytest.fixture
async def other_login(database_url: str, owner_connection: OwnerConnection) -> AsyncIterator[str]:
    """A role that can log in and has no privileges."""
    name = f"other_{uuid4().hex[:8]}"
    await owner_connection.execute(f"create role {name} login password 'other'")
    yield _as(database_url, name, "other")
    await owner_connection.execute(f"drop role {name}")


def _user(url: str) -> str:
    return str(urlsplit(url).username)


async def test_it_logs_in_as_a_role_of_its_own_that_inherits_nothing(
    database_url: str, owner_connection: OwnerConnection
) -> None:
    connection = await _connect(database_url)
    name = await connection.fetchval("select session_user::text")
    assert name == login_role_of(database_url).name
    role = await owner_connection.fetchrow(
        "select rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication from pg_roles"
        " where rolname = $1",
        name,
    )
    assert role is not None
    assert not any(role)
    assert await owner_connection.fetchval("select count(*) from pg_class where relowner = $1::regrole", name) == 0
    await connection.close()


@pytest.mark.parametrize("statement", ["reset all", "discard all", "reset role", "set session authorization default"])
async def test_privileges_cannot_be_regained(database_url: str, statement: str) -> None:
    connection = await _connect(database_url)
    await connection.execute(statement)
    assert await is_service(connection)
    assert await connection.fetchval("select current_setting('statement_timeout')") == "1min"
    assert await connection.fetchval("select count(*) from brands") == 0
    await connection.execute("set role none")  # the log-in itself may do nothing
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.fetchval("select count(*) from brands")
    await connection.close()


async def test_only_application_name_is_sent_as_start_up_parameter(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []
    connect: Any = asyncpg.connect

    async def seen(*arguments: Any, **options: Any) -> Any:
        sent.append(options["server_settings"])
        return await connect(*arguments, **options)

    monkeypatch.setattr(asyncpg, "connect", seen)
    await (await _connect(database_url)).close()
    assert sent == [{"application_name": "sitewright test"}]


async def test_only_the_owner_may_create_in_public(resources: Resources, database_url: str) -> None:
    async with resources.database.connection() as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("create table intruder (a int)")
        assert await connection.fetchval("select has_schema_privilege('public', 'public', 'create')") is False


async def test_a_login_without_settings_drops_privileges_and_gets_instructions(
    other_login: str, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(f"grant {SERVICE_ROLE} to {_user(other_login)}")
    connection = await _connect(other_login, own_role=False)
    assert await is_service(connection)
    await connection.close()
    remedy = await check_login(other_login, own_role=False)
    assert remedy is not None
    assert "set role = 'sitewright_service'" in remedy
    for statement in statements_for(_user(other_login)):
        await owner_connection.execute(statement)
    assert await check_login(other_login, own_role=False) is None


async def test_a_node_with_only_the_services_url_needs_no_other_role(
    other_login: str, owner_connection: OwnerConnection, caplog: pytest.LogCaptureFixture
) -> None:
    for statement in statements_for(_user(other_login)):
        await owner_connection.execute(statement)
    log_in = ServiceLogin(other_login, own_role=True, name="test", wait_seconds=5)
    for connection in [await log_in.connect(), await log_in.connect()]:
        assert await connection.fetchval("select session_user::text") == _user(other_login)
        await connection.close()
    assert caplog.records == []
    assert await check_login(other_login, own_role=True) is None


async def test_a_login_that_cannot_become_the_service_is_rejected(other_login: str) -> None:
    with pytest.raises(NotTheServiceRole, match="grant sitewright_service"):
        await check_login(other_login, own_role=False)
    database = open_database(other_login, connections=2, wait_seconds=5, name="test", own_role=False)
    with pytest.raises(Unavailable):
        async with database.connection():
            pass
    await database.close()


async def test_if_its_own_role_cannot_log_in_it_drops_privileges(
    database_url: str, owner_connection: OwnerConnection, caplog: pytest.LogCaptureFixture
) -> None:
    role = login_role_of(database_url).name
    await owner_connection.execute(f"alter role {role} nologin")
    try:
        log_in = ServiceLogin(database_url, own_role=True, name="test", wait_seconds=5)
        for connection in [await log_in.connect(), await log_in.connect()]:
            assert await is_service(connection)
            await connection.close()
        assert [role in record.getMessage() for record in caplog.records] == [True], "tried once, and logged once"
        assert "create role" in (await check_login(database_url, own_role=True) or "")
    finally:
        await owner_connection.execute(f"alter role {role} login")
    assert await check_login(database_url, own_role=True) is None


async def test_a_service_role_that_bypasses_row_level_security_is_rejected(
    database_url: str, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(f"alter role {SERVICE_ROLE} bypassrls")
    try:
        with pytest.raises(NotTheServiceRole, match="bypass row-level security"):
            await check_login(database_url, own_role=True)
    finally:
        await owner_connection.execute(f"alter role {SERVICE_ROLE} nobypassrls")


def test_each_database_has_its_own_role_and_password() -> None:
    roles = [
        login_role_of(url)
        for url in (
            "postgresql://owner:secret@db.example/one",
            "postgresql://owner:secret@db.example/two",
            "postgresql://owner:other@db.example/one",
            "postgresql:///one?user=owner&password=secret&host=/run",
            "postgresql://owner@db.example/One%20of%20many",
        )
    ]
    assert [role.name for role in roles[:4]] == [f"sitewright_login_{name}" for name in ("one", "two", "one", "one")]
    assert (roles[0].password, roles[0].password == roles[2].password) == (roles[3].password, False)
    assert (roles[4].password, len(roles[4].name)) == (None, len("sitewright_login_") + 16)
    assert "secret" not in repr(roles[0])
