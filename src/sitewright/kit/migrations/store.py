"""What was applied to this database, and the lock under which it is applied."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

import asyncpg
import msgspec

from sitewright.kit import clock
from sitewright.kit.advisory_locks import Lock, try_lock
from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.kit.migrations.sources import Source
from sitewright.kit.pool import Connection

SHARE_OF_DEADLOCK_TIMEOUT = 0.8


class TableInUse(Exception):
    """It could not be locked in time."""

    def __init__(self, table: str) -> None:
        self.table = table


class Applied(msgspec.Struct, frozen=True):
    checksum: str
    release: str
    """The software version that applied it."""


class State(msgspec.Struct, frozen=True):
    files: dict[str, Applied]
    """By path."""
    numbers: frozenset[int]
    """The numbers of the migrations that were applied before there were baselines."""


async def acquire_lock(connection: Connection) -> None:
    """Polls: a statement that waits for the lock would hold a snapshot, for which `create index concurrently` waits."""
    while not await try_lock(connection, Lock.MIGRATIONS):  # noqa: ASYNC110
        await asyncio.sleep(0.1)


async def set_timeouts(connection: Connection, *, lock: str = "5s", statement: str = "60s") -> None:
    await connection.execute(f"set lock_timeout = '{lock}'; set statement_timeout = '{statement}'")


async def find_tables(connection: Connection, names: Collection[str]) -> list[str]:
    """Those that exist (of an index: its table), quoted, in the order in which they were created: parents come first,
    as in most requests."""
    rows = await connection.fetch(
        "select format('%I.%I', n.nspname, t.relname)"
        " from (select distinct coalesce(x.indrelid, c.oid) as oid from pg_class c"
        "       left join pg_index x on x.indexrelid = c.oid"
        "       where c.relname = any($1) and c.relnamespace = 'public'::regnamespace) named"
        " join pg_class t on t.oid = named.oid and t.relkind in ('r', 'p')"
        " join pg_namespace n on n.oid = t.relnamespace order by t.oid",
        list(names),
    )
    return [row[0] for row in rows]


async def lock_tables(connection: Connection, tables: Sequence[str]) -> None:
    """Lock all of them, in this order, within less than `deadlock_timeout`, or raise `TableInUse`."""
    usual: str = await connection.fetchval("show statement_timeout")
    deadlock: float = await connection.fetchval(
        "select setting::float8 from pg_settings where name = 'deadlock_timeout'"
    )
    deadline = clock.stopwatch() + deadlock / 1000 * SHARE_OF_DEADLOCK_TIMEOUT
    for table in tables:
        left = max(1, round((deadline - clock.stopwatch()) * 1000))
        try:
            await connection.execute(
                f"set local statement_timeout = {left}; lock table {table} in access exclusive mode"
            )
        except (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError) as error:
            raise TableInUse(table) from error
    await connection.execute(f"set local statement_timeout = '{usual}'")


async def ensure_tables(connection: Connection) -> None:
    await connection.execute(
        "create table if not exists schema_files (path text primary key, checksum text not null, release text not null,"
        " applied_at timestamptz not null default now())"
    )
    await connection.execute(f"grant select on schema_files to {SERVICE_ROLE}")
    await connection.execute(f"grant usage on schema public to {SERVICE_ROLE}")
    await connection.execute(f"revoke create on schema public from public, {SERVICE_ROLE}")


async def has_schema(connection: Connection) -> bool:
    """Whether a release of Sitewright has applied something here, before the baselines or since."""
    is_ours: bool = await connection.fetchval(
        "select exists (select from pg_attribute where attrelid = to_regclass('public.schema_migrations')"
        " and attname = 'number')"
    )
    return is_ours or bool(await _rows(connection, "schema_files", "select path from schema_files limit 1"))


async def find_tables_of_others(connection: Connection, names: Sequence[str]) -> list[str]:
    """Which of these names are taken, by a table of another application, in a database without our schema."""
    rows = await connection.fetch(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relname = any($1)"
        " order by relname",
        names,
    )
    return [row["relname"] for row in rows]


async def read_state(connection: Connection) -> State:
    files = await _rows(connection, "schema_files", "select path, checksum, release from schema_files")
    numbers = [] if files else await _rows(connection, "schema_migrations", "select number from schema_migrations")
    return State(
        {row["path"]: Applied(row["checksum"], row["release"]) for row in files},
        frozenset(row["number"] for row in numbers),
    )


async def _rows(connection: Connection, table: str, statement: str) -> list[asyncpg.Record]:
    """Returns no rows if there is no such table yet."""
    there = await connection.fetchval("select to_regclass($1) is not null", f"public.{table}")
    return await connection.fetch(statement) if there else []


async def record(connection: Connection, sources: Iterable[Source], release: str) -> None:
    await connection.executemany(
        "insert into schema_files (path, checksum, release) values ($1, $2, $3) on conflict (path) do update"
        " set checksum = excluded.checksum, release = excluded.release, applied_at = now()",
        [(source.path, source.checksum, release) for source in sources],
    )


async def queue_version(connection: Connection) -> str | None:
    """The version of PgQueuer that created or upgraded the job tables; a comment on their schema holds it."""
    found: str | None = await connection.fetchval("select obj_description(to_regnamespace('jobs'), 'pg_namespace')")
    return found


async def record_queue_version(connection: Connection, version: str) -> None:
    statement: str = await connection.fetchval("select format('comment on schema jobs is %L', $1::text)", version)
    await connection.execute(statement)


async def has_tables(connection: Connection) -> bool:
    return await connection.fetchval("select exists (select from pg_tables where schemaname = 'public')") is True


async def is_valid_index(connection: Connection, name: str) -> bool | None:
    """None: there is no index of this name. False: building it was interrupted."""
    valid: bool | None = await connection.fetchval(
        "select indisvalid from pg_index where indexrelid = to_regclass($1)", f"public.{name}"
    )
    return valid


async def drop_invalid_index(connection: Connection, name: str) -> None:
    await connection.execute(f"drop index concurrently if exists public.{name}")


class DatabaseFacts(msgspec.Struct, frozen=True):
    """For system-owners: the database and its schema."""

    server_version: str
    bytes: int
    release: str
    """The software version that applied the newest part of the schema."""
    applied_at: datetime


async def database_facts(connection: Connection) -> DatabaseFacts:
    row = await connection.fetchrow(
        "select current_setting('server_version'), pg_database_size(current_database()), f.release, f.applied_at"
        " from schema_files f order by f.applied_at desc, f.path limit 1"
    )
    assert row is not None  # noqa: S101 - a service that runs has a schema
    return DatabaseFacts(*row)


async def owns_schema(connection: Connection) -> bool:
    """Whether the session may act as the owner of the tables."""
    return (
        await connection.fetchval(
            "select pg_has_role(current_user, tableowner, 'usage') from pg_tables"
            " where schemaname = 'public' and tablename = 'schema_migrations'"
        )
        is True
    )
