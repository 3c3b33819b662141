"""Connections of exports and imports, and the schema as PostgreSQL's catalogs describe it."""

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.primary import connect as connect_to_primary
from sitewright.kit.service_login import NAME_RELEASE
from sitewright.transfer.errors import TransferError
from sitewright.transfer.schema import Column, Schema, Table, UniqueIndex

QUOTE, DELIMITER = "\x01", "\x02"
"""Characters that JSON never contains: COPY's CSV format then leaves each line as it is."""


async def connect(url: str, name: str) -> "asyncpg.Connection[asyncpg.Record]":
    settings = {"application_name": name, "timezone": "UTC"}
    connection = await connect_to_primary(url, wait_seconds=10, server_settings=settings)
    no_limits = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0"
    await connection.execute(f"{NAME_RELEASE}; {no_limits}; set jit = off")
    return connection


async def set_brand(tx: Transaction, brand_ref: int) -> None:
    """For the policies of tables that force row-level security on their owner, until the transaction ends."""
    await tx.execute("select set_config('sitewright.brand_ref', $1, true)", str(brand_ref))


async def read_schema(owner: Transaction) -> Schema:
    rows = await owner.fetch(
        "select c.relname, array_agg(a.attname::text order by a.attnum),"
        " array_agg(format_type(a.atttypid, null) order by a.attnum), array_agg(a.attidentity <> '' order by a.attnum),"
        " (select array_agg(k.attname::text order by array_position(i.indkey::int2[], k.attnum))"
        "    from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey)"
        "   where i.indrelid = c.oid and i.indisprimary),"
        " array(select f.confrelid::regclass::text from pg_constraint f where f.conrelid = c.oid and f.contype = 'f')"
        " from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition"
        "   and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''"
        " group by c.oid, c.relname"
    )
    tables = {row[0]: Table(row[0], _columns(*row[1:4]), row[4] or [], set(row[5])) for row in rows}
    if "brands" not in tables:
        raise TransferError("The database has no tables yet. Run: sitewright migrate")
    return Schema(tables, await _unique_indexes(owner))


def _columns(names: list[str], types: list[str], identities: list[bool]) -> list[Column]:
    return [Column(*each) for each in zip(names, types, identities, strict=True)]


async def _unique_indexes(owner: Transaction) -> list[UniqueIndex]:
    rows = await owner.fetch(
        "select c.relname, array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)),"
        " pg_get_expr(i.indpred, i.indrelid)"
        " from pg_index i join pg_class c on c.oid = i.indrelid"
        " join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)"
        " where i.indisunique and c.relnamespace = 'public'::regnamespace"
        " group by i.indexrelid, c.relname, i.indpred, i.indrelid"
        " having not ('brand_ref' = any(array_agg(a.attname::text)))"
        " order by c.relname, 2"
    )
    return [UniqueIndex(row[0], row[1], row[2]) for row in rows]
