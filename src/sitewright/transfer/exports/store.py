"""Statements of the export, over any table of a brand; names come from the database's own schema, never from input."""
# ruff: noqa: S608

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Any

from sitewright.kit.db import Transaction
from sitewright.transfer import tables
from sitewright.transfer.schema import Schema, Table, target_of
from sitewright.transfer.store import DELIMITER, QUOTE

ROWS_AT_ONCE = 200
Replaced = Mapping[tuple[str, str], str]
WriteLines = Callable[[bytes | bytearray], Coroutine[Any, Any, None]]


async def find_brand_name(tx: Transaction, brand: Table, brand_ref: int) -> str | None:
    name: str | None = await tx.fetchval(f"select name from {brand.name} where brand_ref = $1", brand_ref)
    return name


async def export_snapshot(tx: Transaction) -> str:
    snapshot: str = await tx.fetchval("select pg_export_snapshot()")
    return snapshot


async def begin_with_snapshot(tx: Transaction, snapshot: str) -> None:
    """Begin a transaction that sees what the one sees that exported the snapshot.

    It reads in the order of indexes: PostgreSQL would rather sort rows with their JSON, on disk.
    """
    await tx.execute(
        f"begin isolation level repeatable read, read only; set transaction snapshot '{snapshot}';"
        " set local enable_sort = off"
    )


async def count_rows(tx: Transaction, table: Table, brand_ref: int) -> int:
    count: int = await tx.fetchval(f"select count(*) from {table.name} where brand_ref = $1", brand_ref)
    return count


async def copy_lines(tx: Transaction, query: str, write: WriteLines) -> None:
    """Write each row of a query, which has one column of JSON, as a line."""
    await tx.copy_from_query(
        query, output=write, format="csv", quote=QUOTE, delimiter=DELIMITER, escape=QUOTE, encoding="utf8"
    )


async def read_lines(tx: Transaction, query: str) -> AsyncIterator[str]:
    async for row in tx.cursor(query, prefetch=ROWS_AT_ONCE):
        yield row[0]


async def split(tx: Transaction, table: Table, brand_ref: int, rows: int) -> list[str]:
    """Conditions that divide a brand's rows into consecutive parts of so many rows, by their primary key."""
    if not (keys := _keys(table)):
        return [""]
    types = {column.name: column.type for column in table.columns}
    literals = ", ', ', ".join(f"quote_literal({name}), '::{types[name]}'" for name in keys)
    found = await tx.fetch(
        f"select concat({literals}) from (select {', '.join(keys)}, row_number() over (order by {', '.join(keys)})"
        f" as row_of_brand from {table.name} t where t.brand_ref = $1{_condition(table)}) r where row_of_brand % $2 = 0"
        " order by row_of_brand",
        brand_ref,
        rows,
    )
    ends = [f"({row[0]})" for row in found]
    key = f"({', '.join(f't.{name}' for name in keys)})"
    above, below = ["", *(f" and {key} > {end}" for end in ends)], [*(f" and {key} <= {end}" for end in ends), ""]
    return [f"{lower}{upper}" for lower, upper in zip(above, below, strict=True)]


def query_of(table: Table, brand_ref: int, replaced: Replaced, part: str = "") -> str:
    """A brand's rows as JSON, in the order of their primary key, without `brand_ref`. `part`: one of `split`."""
    columns = ", ".join(_selected(table, name, replaced) for name in exported_columns(table))
    keys = [f"r.{name}" for name in _keys(table)]
    order = f" order by {', '.join(keys)}" if keys else ""
    where = f"t.brand_ref = {brand_ref:d}{_condition(table)}{part}"
    return f"select row_to_json(r)::text from (select {columns} from {table.name} t where {where}) r{order}"


def _keys(table: Table) -> list[str]:
    return [name for name in table.key if name != "brand_ref"]


def exported_columns(table: Table) -> list[str]:
    return [column.name for column in table.columns if column.name != "brand_ref"]


def _selected(table: Table, name: str, replaced: Replaced) -> str:
    if (table.name, name) in replaced:
        return f"{replaced[table.name, name]} as {name}"
    if next(column.type for column in table.columns if column.name == name) == "json":  # it may contain line breaks
        return f"translate(t.{name}::text, E'\\n\\r', '  ')::json as {name}"
    return f"t.{name}"


def _condition(table: Table) -> str:
    """Chunks of media are exported from PostgreSQL, unless they are of uploads that are not complete."""
    if table.name != tables.MEDIA_CHUNKS:
        return ""
    return (
        " and (t.brand_ref, t.object_key) in (select o.brand_ref, o.key from media_objects o"
        " where o.brand_ref = t.brand_ref and o.delete_after is null and o.store = 'postgresql')"
    )


def query_of_shared(schema: Schema, exported: Sequence[Table], name: str, brand_ref: int) -> str:
    """The rows of a shared table that the brand uses."""
    used = _used(exported, name, brand_ref)
    return f"select row_to_json(t)::text from {schema.tables[name].name} t where t.ref in ({used}) order by t.ref"


def query_of_shared_templates(exported: Sequence[Table], brand_ref: int) -> str:
    used = _used(exported, "templates", brand_ref)
    return (
        f"select row_to_json(t)::text from templates t where t.brand_ref is null and t.ref in ({used}) order by t.ref"
    )


def query_of_foreign_packages(exported: Sequence[Table], brand_ref: int) -> str:
    used = _used(exported, "packages", brand_ref)
    return (
        "select json_build_object('ref', t.ref, 'key', t.key)::text from packages t"
        f" where t.brand_ref <> {brand_ref:d} and t.ref in ({used}) order by t.ref"
    )


def _used(exported: Sequence[Table], target: str, brand_ref: int) -> str:
    """The refs of a table that the brand's rows name."""
    parts = [
        f"select {f'unnest({column.name})' if column.type.endswith('[]') else column.name}"
        f" from {table.name} where brand_ref = {brand_ref:d}"
        for table in exported
        for column in table.columns
        if target_of(table.name, column.name) == target
    ]
    return " union ".join(parts) or "select 0"


async def list_remote_objects(tx: Transaction, brand_ref: int) -> AsyncIterator[str]:
    """The keys of media that another store than PostgreSQL holds."""
    query = "select key from media_objects where brand_ref = $1 and delete_after is null and store <> 'postgresql'"
    async for row in tx.cursor(f"{query} order by key", brand_ref, prefetch=ROWS_AT_ONCE):
        yield row[0]
