import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from sitewright.kit import migrations
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.kit.migrations import MigrationError, all_migrations, migrate, pending


@pytest.fixture
async def empty_database(database_url: str) -> AsyncIterator[str]:
    owner = await asyncpg.connect(database_url)
    await owner.execute("create database empty")
    parts = urlsplit(database_url)
    yield urlunsplit(parts._replace(path="/empty"))
    await owner.execute("drop database empty with (force)")
    await owner.close()


async def test_three_that_start_at_once_apply_each_migration_once(empty_database: str) -> None:
    applied = await asyncio.gather(*(migrate(empty_database) for _ in range(3)))
    assert sorted(len(each) for each in applied) == [0, 0, len(all_migrations())]
    connection = await asyncpg.connect(empty_database)
    assert await pending(connection) == []
    assert await connection.fetchval("select count(*) from schema_migrations") == len(all_migrations())
    await connection.close()


async def test_an_empty_database_lacks_everything(empty_database: str) -> None:
    connection = await asyncpg.connect(empty_database)
    assert await pending(connection) == all_migrations()
    await connection.close()


async def test_a_migration_that_fails_leaves_nothing_of_itself(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = migrations.Migration(9999, "broken", "create table half_done (a int); select 1 / 0")
    monkeypatch.setattr(migrations, "all_migrations", lambda: [broken])
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database)
    connection = await asyncpg.connect(empty_database)
    assert await connection.fetchval("select to_regclass('half_done')") is None
    assert await pending(connection) == [broken]
    await connection.close()


async def test_a_database_ahead_of_us_lacks_nothing(empty_database: str) -> None:
    await migrate(empty_database)
    connection = await asyncpg.connect(empty_database)
    await connection.execute("insert into schema_migrations (number, name) values (9999, 'from the next release')")
    assert await pending(connection) == []
    await connection.close()


def test_numbers_are_unique_and_without_gaps() -> None:
    numbers = [migration.number for migration in all_migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_an_owner_that_is_no_superuser_migrates_and_may_step_down(tmp_path: Path) -> None:
    """On a server of its own, since roles belong to a server. From PostgreSQL 16 on, creating a role is not enough."""
    server = EmbeddedPostgres(tmp_path)
    server.start()
    try:
        admin = await asyncpg.connect(server.url)
        await admin.execute("create role plain_owner login createrole password 'plain'")
        await admin.execute("create database plain owner plain_owner")
        await admin.close()
        parts = urlsplit(server.url)
        log_in = parts.netloc.rpartition("@")[0]
        netloc = parts.netloc.replace(log_in, "plain_owner:plain") if log_in else "plain_owner:plain@"
        url = urlunsplit(parts._replace(netloc=netloc, path="/plain"))
        assert await migrate(url) == all_migrations()
        service = await asyncpg.connect(url, server_settings={"role": SERVICE_ROLE})
        assert await service.fetchval("select current_user") == SERVICE_ROLE
        await service.close()
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("roles", "missing"),
    [
        ("", "sitewright_service"),
        ("create role sitewright_service nologin", "sitewright_mail"),
        ("create role sitewright_service nologin; create role sitewright_mail nologin", "sitewright_backup"),
    ],
)
async def test_an_owner_that_may_not_create_roles_is_told_what_to_do(tmp_path: Path, roles: str, missing: str) -> None:
    server = EmbeddedPostgres(tmp_path)
    server.start()
    try:
        admin = await asyncpg.connect(server.url)
        await admin.execute(f"create role plain_owner login password 'plain'; {roles}")
        await admin.execute("grant sitewright_service to plain_owner" if roles else "select 1")
        await admin.execute("create database plain owner plain_owner")
        await admin.close()
        parts = urlsplit(server.url)
        netloc = "plain_owner:plain@" + parts.netloc.rpartition("@")[2]
        with pytest.raises(MigrationError, match=f"create role {missing} nologin"):
            await migrate(urlunsplit(parts._replace(netloc=netloc, path="/plain")))
    finally:
        server.stop()
