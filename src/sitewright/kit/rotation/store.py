"""Statements over any encrypted column; names of tables and columns come from declarations, never from input.

They run as the owner of the tables: across brands, and on columns that the service's role may not change.
"""
# ruff: noqa: S608

from collections.abc import Sequence

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.primary import connect as connect_to_primary
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.kit.sealing import NAME_BYTES


class Sealed(msgspec.Struct, frozen=True):
    place: tuple[int, int]
    """The row's current physical location (`ctid`)."""
    value: bytes
    context: dict[str, str]


async def count_by_key(owner: Transaction, column: SealedColumn) -> dict[bytes, int]:
    """How many values are encrypted with each key, by the key's name."""
    rows = await owner.fetch(
        f"select substring({_value(column)} for {NAME_BYTES}), count(*) from {column.table} where {_there(column)}"
        " group by 1"
    )
    return {row[0]: row[1] for row in rows}


async def renew_lost(owner: Transaction, column: SealedColumn, renewal: str, known: Sequence[bytes]) -> list[str]:
    lost = f"{_there(column)} and substring({_value(column)} for {NAME_BYTES}) <> all($1)"
    return [row[0] for row in await owner.fetch(renewal.format(lost=lost), known)]


async def has_written(owner: Transaction) -> bool:
    """Whether the open transaction has changed anything."""
    return bool(await owner.fetchval("select pg_current_xact_id_if_assigned() is not null"))


async def count_pages(owner: Transaction, column: SealedColumn) -> int:
    size: int = await owner.fetchval(
        "select pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint", column.table
    )
    return size


async def lock_others(
    owner: Transaction, column: SealedColumn, name: bytes, first_page: int, next_page: int
) -> list[Sealed]:
    """Lock the rows of some pages whose values are encrypted with another key than `name`, skipping locked ones."""
    names = ", ".join(f"{each}::text" for each in column.context_columns) or "''"
    rows = await owner.fetch(
        f"select ctid, {_value(column)}, {names} from {column.table} where ctid >= $1 and ctid < $2 and"
        f" {_there(column)} and substring({_value(column)} for {NAME_BYTES}) <> $3 for update skip locked",
        (first_page, 0),
        (next_page, 0),
        name,
    )
    return [Sealed(row[0], row[1], dict(zip(column.context_columns, list(row)[2:], strict=False))) for row in rows]


async def replace(owner: Transaction, column: SealedColumn, values: Sequence[tuple[tuple[int, int], bytes]]) -> None:
    """Update rows that are locked."""
    new = "$2"
    if column.field is not None:
        new = (
            f"convert_to(jsonb_set(convert_from({column.column}, 'UTF8')::jsonb, '{{{column.field}}}',"
            " to_jsonb(translate(encode($2, 'base64'), E'\\n', '')))::text, 'UTF8')"
        )
    await owner.executemany(f"update {column.table} set {column.column} = {new} where ctid = $1", values)


async def transaction_id(owner: Transaction) -> int:
    return int(await owner.fetchval("select pg_current_xact_id()::text"))


async def oldest_transaction(owner: Transaction) -> int:
    """The oldest running transaction; all before it have ended."""
    return int(await owner.fetchval("select pg_snapshot_xmin(pg_current_snapshot())::text"))


async def connect(url: str) -> "asyncpg.Connection[asyncpg.Record]":
    return await connect_to_primary(url, wait_seconds=10, server_settings={"application_name": "sitewright keys"})


def _value(column: SealedColumn) -> str:
    if column.field is None:
        return column.column
    return f"decode(convert_from({column.column}, 'UTF8')::jsonb ->> '{column.field}', 'base64')"


def _there(column: SealedColumn) -> str:
    """The condition for rows with a value that somebody needs."""
    there = f"{column.column} is not null"
    if column.unneeded_since is not None:
        there += f" and {column.unneeded_since} is null"
    if column.field is None:
        return there
    # `case` keeps its order, which `and` does not: only JSON objects are parsed.
    return (
        f"case when {column.column} is null or substring({column.column} for 1) <> '{{' then false"
        f" else convert_from({column.column}, 'UTF8')::jsonb ? '{column.field}' end"
    )
