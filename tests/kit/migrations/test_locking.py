"""A migration takes all its locks at once or none, so requests that use tables in another order see no deadlock."""

import asyncio

import asyncpg
import pytest

from sitewright.kit.migrations import MigrationError, Source, locking, migrate
from sitewright.kit.migrations.locking import relations_in
from tests.support.users import OwnerConnection

BASELINE = Source(
    "kit/baseline.sql",
    "create table parents (ref bigint primary key, name text);\n"
    "create table children (ref bigint primary key, name text);\n"
    "insert into parents values (1, ''), (2, '');\ninsert into children values (1, ''), (2, '');\n",
)
CHANGE = Source(
    "kit/0002_ages.sql", "alter table parents add column age int;\nalter table children add column age int;\n"
)


def test_the_tables_of_statements_are_found() -> None:
    sql = """
        -- alter table comments add column x int;
        alter table a add column x int; create index i on b (x); drop index c_old, d_old; alter index e_old rename to e;
        create trigger t after insert or update on f for each row execute function g();
        create function g() returns void language sql as $$ update inside set x = 1 $$;
        create table new (r bigint references h (ref)); insert into j select 1; alter table if exists k rename to l;
    """
    found = relations_in(sql)
    assert found >= {"a", "b", "c_old", "d_old", "e_old", "f", "h", "j", "k"}
    assert not found & {"comments", "inside", "new"}


async def test_requests_in_another_order_are_never_aborted(empty_database: str, connection: OwnerConnection) -> None:
    await migrate(empty_database, sources=[BASELINE])
    migrating = asyncio.create_task(migrate(empty_database, sources=[BASELINE, CHANGE]))

    async def request(ref: int) -> int:
        """Children first, then parents, until the migration has ended."""
        client, count = await asyncpg.connect(empty_database), 0
        try:
            while not migrating.done():
                async with client.transaction():
                    await client.execute("update children set name = name || '.' where ref = $1", ref)
                    await asyncio.sleep(0.02)
                    await client.execute("update parents set name = name || '.' where ref = $1", ref)
                count += 1
        finally:
            await client.close()
        return count

    counts = await asyncio.gather(request(1), request(2))
    assert [source.path for source in await migrating] == ["kit/0002_ages.sql"]
    rows = await connection.fetch("select length(p.name), length(c.name) from parents p join children c using (ref)")
    assert sorted(row[0] for row in rows) == sorted(row[1] for row in rows) == sorted(counts)


async def test_a_migration_that_gets_no_locks_gives_up_and_changes_nothing(
    empty_database: str, connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(empty_database, sources=[BASELINE])
    monkeypatch.setattr(locking, "GIVE_UP_SECONDS", 0)
    async with connection.transaction():
        await connection.execute("update children set name = ''")
        with pytest.raises(MigrationError, match="long transactions prevent this migration"):
            await migrate(empty_database, sources=[BASELINE, CHANGE])
    columns = "select count(*) from pg_attribute where attname = 'age'"
    assert await connection.fetchval(columns) == 0
    assert [source.path for source in await migrate(empty_database, sources=[BASELINE, CHANGE])] == [CHANGE.path]
