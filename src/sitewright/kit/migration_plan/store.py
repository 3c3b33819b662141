"""What PostgreSQL itself reports: sizes of tables, locks of a transaction, tables it read, files and indexes."""
# ruff: noqa: S608

import msgspec

from sitewright.kit.pool import Connection

_OURS = "n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')"
TableName = str


class Size(msgspec.Struct, frozen=True):
    rows: int
    """As PostgreSQL estimates them."""
    bytes: int


class Shape(msgspec.Struct, frozen=True):
    """What identifies the files of tables and their indexes: a new file means that it was written anew."""

    files: dict[TableName, int]
    indexes: dict[str, TableName]
    """Tables by index."""


async def table_sizes(connection: Connection) -> dict[TableName, Size]:
    rows = await connection.fetch(
        "select c.relname, greatest(c.reltuples, 0)::bigint, pg_table_size(c.oid) from pg_class c"
        f" join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and {_OURS}"
    )
    return {row[0]: Size(row[1], row[2]) for row in rows}


async def shape(connection: Connection) -> Shape:
    files = await connection.fetch(
        "select c.relname, coalesce(pg_relation_filenode(c.oid), 0)::bigint from pg_class c"
        f" join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and {_OURS}"
    )
    indexes = await connection.fetch(
        "select i.relname, t.relname from pg_index x join pg_class i on i.oid = x.indexrelid"
        " join pg_class t on t.oid = x.indrelid join pg_namespace n on n.oid = t.relnamespace"
        f" where {_OURS}"
    )
    return Shape({row[0]: row[1] for row in files}, {row[0]: row[1] for row in indexes})


async def own_locks(connection: Connection) -> dict[TableName, set[str]]:
    """The modes in which the current transaction has locked each table."""
    rows = await connection.fetch(
        "select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation"
        " join pg_namespace n on n.oid = c.relnamespace"
        f" where l.pid = pg_backend_pid() and l.granted and c.relkind in ('r', 'p') and {_OURS}"
    )
    locks: dict[TableName, set[str]] = {}
    for table, mode in rows:
        locks.setdefault(table, set()).add(mode)
    return locks


async def tables_read(connection: Connection) -> set[TableName]:
    """Tables that the current transaction has scanned: to build an index, to check a constraint, or by a query."""
    rows = await connection.fetch(
        "select relname from pg_stat_xact_user_tables where coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0"
    )
    return {row[0] for row in rows}
