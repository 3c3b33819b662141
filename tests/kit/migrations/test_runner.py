import asyncio
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

import sitewright
from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.kit.migrations import MigrationError, Source, all_sources, migrate, pending
from sitewright.kit.migrations.sources import upgrade_sources
from tests.support.catalogs import catalog_of, differences
from tests.support.data_folders import new_server
from tests.support.users import OwnerConnection

BEFORE_SQUASH = Path(__file__).parent / "before_squash"
MIGRATIONS = Path(sitewright.__file__).parent / "migrations"
BASELINE = Source("kit/baseline.sql", "create table notes (ref bigint primary key, text text)")
NUMBERED = Source("kit/0002_colors.sql", "alter table notes add column color text")
FUNCTIONS = Source("kit/functions.sql", "create or replace function number() returns integer return 1")


async def test_three_that_start_at_once_apply_each_file_once(empty_database: str, connection: OwnerConnection) -> None:
    applied = await asyncio.gather(*(migrate(empty_database) for _ in range(3)))
    assert sorted(len(each) for each in applied) == [0, 0, len(all_sources())]
    assert await pending(connection) == []
    assert await connection.fetchval("select count(*) from schema_files") == len(all_sources())


async def test_another_version_of_pgqueuer_upgrades_its_tables(
    empty_database: str, connection: OwnerConnection
) -> None:
    await migrate(empty_database, sources=[BASELINE])
    await connection.execute("alter table jobs.queue drop column headers")
    await migrate(empty_database, sources=[BASELINE])
    assert not await _has_headers(connection)
    await connection.execute("comment on schema jobs is '1.0'")
    await migrate(empty_database, sources=[BASELINE])
    assert await _has_headers(connection)


async def _has_headers(connection: OwnerConnection) -> bool:
    found: bool = await connection.fetchval(
        "select exists (select from pg_attribute where attrelid = 'jobs.queue'::regclass and attname = 'headers')"
    )
    return found


async def test_an_empty_database_lacks_everything(connection: OwnerConnection) -> None:
    assert await pending(connection) == list(all_sources())


async def test_a_new_database_has_the_numbers_that_the_previous_release_looks_for(
    empty_database: str, connection: OwnerConnection
) -> None:
    await migrate(empty_database)
    rows = await connection.fetch("select number, name from schema_migrations order by number")
    expected = [file.stem for file in sorted(BEFORE_SQUASH.glob("*.sql"))]
    assert [f"{number:04}_{name}" for number, name in rows] == expected


async def test_a_file_that_fails_leaves_nothing_of_itself(empty_database: str, connection: OwnerConnection) -> None:
    broken = Source("kit/0002_broken.sql", "create table half_done (a int); select 1 / 0")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database, sources=[BASELINE, broken])
    assert await connection.fetchval("select to_regclass('half_done')") is None
    assert [source.path for source in await migrate(empty_database, sources=[BASELINE, NUMBERED])] == [NUMBERED.path]


async def test_a_later_file_is_applied_once(empty_database: str) -> None:
    await migrate(empty_database, sources=[BASELINE, FUNCTIONS])
    assert await migrate(empty_database, sources=[BASELINE, NUMBERED, FUNCTIONS]) == [NUMBERED]
    assert await migrate(empty_database, sources=[BASELINE, NUMBERED, FUNCTIONS]) == []


async def test_functions_are_applied_again_when_they_change(empty_database: str, connection: OwnerConnection) -> None:
    await migrate(empty_database, sources=[BASELINE, FUNCTIONS])
    changed = Source(FUNCTIONS.path, FUNCTIONS.sql.replace("1", "2"))
    assert await migrate(empty_database, sources=[BASELINE, changed]) == [changed]
    assert await connection.fetchval("select number()") == 2


async def test_every_reapplied_file_can_be_applied_again(empty_database: str, connection: OwnerConnection) -> None:
    await migrate(empty_database)
    before = await catalog_of(connection)
    await connection.execute("update schema_files set checksum = '' where path ~ '/(functions|triggers|views)'")
    assert await migrate(empty_database) == [source for source in all_sources() if source.is_reapplied]
    assert differences(before, await catalog_of(connection)) == []


@pytest.mark.parametrize("changed", [BASELINE, NUMBERED])
async def test_a_file_that_was_changed_after_it_was_applied_is_refused(empty_database: str, changed: Source) -> None:
    await migrate(empty_database, sources=[BASELINE, NUMBERED])
    edited = Source(changed.path, changed.sql.replace("text", "varchar"))
    sources = [edited if source.path == edited.path else source for source in (BASELINE, NUMBERED)]
    with pytest.raises(MigrationError, match=f"{changed.path} was changed after .* new numbered file"):
        await migrate(empty_database, sources=sources)


async def test_a_database_of_a_commit_between_two_releases_is_refused(empty_database: str) -> None:
    await migrate(empty_database, sources=[BASELINE], release="0.2.0")
    changed = Source(BASELINE.path, BASELINE.sql.replace("text text", "text text not null"))
    with pytest.raises(MigrationError, match=r"between 0\.2\.0 and 0\.3\.0.*kit/baseline\.sql.*an empty database"):
        await migrate(empty_database, sources=[changed])


async def test_comments_and_white_space_may_change(empty_database: str) -> None:
    await migrate(empty_database, sources=[BASELINE])
    reworded = Source(BASELINE.path, "-- What people write down.\n" + BASELINE.sql.replace(", ", ",\n    "))
    assert await migrate(empty_database, sources=[reworded]) == []


async def test_an_earlier_release_leaves_the_database_of_a_later_one_alone(
    empty_database: str, connection: OwnerConnection
) -> None:
    later = Source(FUNCTIONS.path, FUNCTIONS.sql.replace("1", "2"))
    await migrate(empty_database, sources=[BASELINE, NUMBERED, later], release="0.10.0")
    assert await migrate(empty_database, sources=[BASELINE, FUNCTIONS], release="0.9.1") == []
    assert await connection.fetchval("select number()") == 2


async def test_a_database_ahead_of_us_lacks_nothing(empty_database: str, connection: OwnerConnection) -> None:
    await migrate(empty_database, release="999.0.0")
    await connection.execute("update schema_files set checksum = 'of the next release'")
    assert await pending(connection) == []


def test_every_file_is_known_and_numbers_of_a_package_begin_after_the_baseline() -> None:
    found = {path.relative_to(MIGRATIONS).as_posix() for path in MIGRATIONS.rglob("*.sql")}
    assert found == {source.path for source in all_sources()} | {source.path for source in upgrade_sources()}
    assert [source.path for source in all_sources() if "/0001_" in source.path] == []


async def test_an_owner_that_is_no_superuser_migrates_and_may_step_down(tmp_path: Path) -> None:
    """On a server of its own, since roles belong to a server. From PostgreSQL 16 on, creating a role is not enough."""
    server = await new_server(tmp_path)
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
        assert await migrate(url) == list(all_sources())
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
async def test_an_owner_that_may_not_create_roles_gets_instructions(tmp_path: Path, roles: str, missing: str) -> None:
    server = await new_server(tmp_path)
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
