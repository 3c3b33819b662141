"""Statements of records."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.domains.dns.template import TemplateRecord
from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window

SHOWN = "removed_at is null and owner <> 'challenge'"
_RECORD = """
select ref, type, name, value, ttl, priority, owner, slot, removed_at is not null
  from dns_records where brand_ref = current_brand() and account_domain_ref = $1
"""


class RecordRow(msgspec.Struct, frozen=True):
    ref: int
    type: str
    name: str
    value: str
    ttl: int
    priority: int | None
    owner: str
    slot: str | None
    is_removed: bool


class NewRecord(msgspec.Struct, frozen=True, kw_only=True):
    type: str
    name: str
    value: str
    ttl: int
    priority: int | None
    owner: str
    slot: str | None = None


async def list_records(tx: Transaction, account_domain_ref: int) -> list[RecordRow]:
    """All records, also those of certificate orders and those to be removed."""
    return [RecordRow(*row) for row in await tx.fetch(_RECORD + " order by ref", account_domain_ref)]


async def read_page(tx: Transaction, account_domain_ref: int, window: Window) -> list[RecordRow]:
    rows = await tx.fetch(
        f"{_RECORD} and {SHOWN} and ($2::bigint is null or ref > $2) and ($3::bigint is null or ref < $3)"
        f" order by ref {window.direction} limit $4 offset $5",
        account_domain_ref,
        *window.position,
    )
    return [RecordRow(*row) for row in window.in_order(rows)]


async def find_record(tx: Transaction, account_domain_ref: int, ref: int) -> RecordRow | None:
    row = await tx.fetchrow(f"{_RECORD} and {SHOWN} and ref = $2", account_domain_ref, ref)
    return None if row is None else RecordRow(*row)


async def insert_records(
    tx: Transaction, account_domain_ref: int, records: Sequence[NewRecord], now: datetime
) -> list[int]:
    rows = await tx.fetch(
        "insert into dns_records (brand_ref, account_domain_ref, type, name, value, ttl, priority, owner, slot,"
        " updated_at) select current_brand(), $1, r.*, $9 from unnest($2::text[], $3::text[], $4::text[],"
        " $5::integer[], $6::integer[], $7::text[], $8::text[]) r returning ref",
        account_domain_ref,
        [each.type for each in records],
        [each.name for each in records],
        [each.value for each in records],
        [each.ttl for each in records],
        [each.priority for each in records],
        [each.owner for each in records],
        [each.slot for each in records],
        now,
    )
    return [row["ref"] for row in rows]


async def update_record(tx: Transaction, ref: int, record: NewRecord, now: datetime) -> None:
    await tx.execute(
        "update dns_records set type = $2, name = $3, value = $4, ttl = $5, priority = $6, owner = $7, updated_at = $8"
        " where brand_ref = current_brand() and ref = $1",
        ref,
        record.type,
        record.name,
        record.value,
        record.ttl,
        record.priority,
        record.owner,
        now,
    )


async def move_record(tx: Transaction, account_domain_ref: int, ref: int, record: NewRecord, now: datetime) -> None:
    """Changes its name or type, and leaves a removed record at the former place, which the provider still has."""
    await tx.execute(
        "insert into dns_records (brand_ref, account_domain_ref, type, name, value, ttl, priority, owner, updated_at,"
        " removed_at) select brand_ref, account_domain_ref, type, name, value, ttl, priority, owner, $3, $3"
        " from dns_records where brand_ref = current_brand() and account_domain_ref = $1 and ref = $2",
        account_domain_ref,
        ref,
        now,
    )
    await update_record(tx, ref, record, now)


async def remove_records(tx: Transaction, refs: Sequence[int], now: datetime) -> None:
    """They stay until the provider no longer has them."""
    await tx.execute(
        "update dns_records set removed_at = $2, updated_at = $2 where brand_ref = current_brand() and ref = any($1)",
        refs,
        now,
    )


def of_template(record: TemplateRecord) -> NewRecord:
    return NewRecord(
        type=record.type,
        name=record.name,
        value=record.value,
        ttl=record.ttl,
        priority=record.priority,
        owner="service",
        slot=record.slot,
    )


async def export_user(tx: Transaction, export: DataExport) -> None:
    await export.write(
        "dns-records.json",
        tx.cursor(
            "select row_to_json(x)::text from (select d.domain, r.type, r.name, r.value, r.ttl, r.priority, r.owner"
            " from domain_holders d join dns_records r on r.brand_ref = d.brand_ref and r.account_domain_ref = d.ref"
            " where d.brand_ref = current_brand() and d.user_ref = $1 and r.removed_at is null"
            " and r.owner <> 'challenge' order by r.ref) x",
            export.user_ref,
        ),
    )
