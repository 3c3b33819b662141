"""A database of before the baselines becomes exactly what a new one is, rows kept; others are refused unchanged."""

import asyncpg
import pytest

from sitewright.kit.migrations import MigrationError, migrate, pending
from tests.kit.migrations.before_squash import migrate_as_before
from tests.support.catalogs import catalog_of, differences
from tests.support.users import OwnerConnection

ROWS = """
    insert into brands (name, domain) values ('Baker', 'baker.test');
    insert into currencies (alpha_code, name, num_code, html_code, currency_rate, payment_provider, locale)
    values ('EUR', 'Euro', '978', '&euro;', 1, 1, 'de_DE');
    insert into users (brand_ref, first_name, last_name, username, username_key, email, email_key, language_code,
                       created_at, updated_at)
    values (1, 'Ada', 'Miller', 'ada', 'ada', 'ada@baker.test', 'ada@baker.test', 'en', now(), now());
    insert into event_sequences (brand_ref, last) values (1, 1);
    insert into events (brand_ref, sequence, id, kind, body, at)
    values (1, 1, gen_random_uuid(), 'publish', '{"site": {"ref": 7}}', now());
    insert into mails (brand_ref, user_ref, kind, facts, created_at, next_attempt_at)
    values (1, 1, 'welcome', 'sealed', now(), now());
"""
KEPT = ("brands", "currencies", "users", "events", "mails", "user_counts")


async def rows_of(connection: OwnerConnection) -> dict[str, list[str]]:
    """As text, with the columns in the order of their names. Tables that force row-level security need the brand."""
    await connection.execute("set sitewright.brand_ref = '1'")
    return {
        table: [row[0] for row in await connection.fetch(f"select to_jsonb(t)::text from {table} t order by 1")]
        for table in KEPT
    }


async def test_both_ways_lead_to_the_same_schema_and_rows_are_kept(
    empty_database: str, other_empty_database: str, connection: OwnerConnection
) -> None:
    await migrate_as_before(connection)
    await connection.execute(ROWS)
    before = await rows_of(connection)
    applied = await migrate(empty_database)
    assert [source.path for source in applied[:2]] == ["upgrade/from_0032_indexes.sql", "upgrade/from_0032.sql"]
    assert await pending(connection) == []
    assert await migrate(empty_database) == []

    await migrate(other_empty_database)
    other = await asyncpg.connect(other_empty_database)
    assert differences(await catalog_of(connection), await catalog_of(other)) == []
    assert await connection.fetch("select path, checksum from schema_files order by path") == await other.fetch(
        "select path, checksum from schema_files order by path"
    )
    await other.close()
    after = await rows_of(connection)
    assert all(len(after[table]) == len(before[table]) > 0 for table in KEPT)


@pytest.mark.parametrize("number", [27, 31])
async def test_an_older_database_is_refused_with_what_to_do(
    empty_database: str, connection: OwnerConnection, number: int
) -> None:
    await migrate_as_before(connection, up_to=number)
    before = await catalog_of(connection)
    with pytest.raises(MigrationError, match=f"up to {number:04}.*Start the previous release once"):
        await migrate(empty_database)
    assert await catalog_of(connection) == before
    assert await pending(connection) != []


async def test_a_database_of_an_unreleased_version_is_refused(empty_database: str, connection: OwnerConnection) -> None:
    await migrate_as_before(connection)
    await connection.execute("insert into schema_migrations (number, name) values (33, 'unreleased')")
    with pytest.raises(MigrationError, match="0033, which no release had"):
        await migrate(empty_database)


@pytest.mark.parametrize(("table", "columns"), [("users", "id integer"), ("schema_migrations", "version text")])
async def test_a_database_of_another_application_is_refused_unchanged(
    empty_database: str, connection: OwnerConnection, table: str, columns: str
) -> None:
    await connection.execute(f"create table {table} ({columns})")
    with pytest.raises(MigrationError, match=f"another application: it already has {table}.*an empty database"):
        await migrate(empty_database)
    tables = await connection.fetch("select tablename from pg_tables where schemaname in ('public', 'jobs')")
    assert [row["tablename"] for row in tables] == [table]
