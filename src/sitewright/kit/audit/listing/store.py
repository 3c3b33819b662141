from collections.abc import Mapping
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

_COLUMNS = "e.ref, e.at, e.actor, e.action, e.subject, e.subject_ref, e.request_id, e.details::text as details"
KEYS = {"at": SortKey("e.at", "timestamptz")}


class Entry(msgspec.Struct, frozen=True):
    ref: int
    at: datetime
    actor: str
    action: str
    subject: str
    subject_ref: int | None
    request_id: str | None
    details: dict[str, Any]


async def list_entries(
    tx: Transaction, wanted: Mapping[str, Any], page: PageRequest, *, has_brand: bool
) -> Page[Entry]:
    """`wanted`: values by column and operator; those that are None do not count.

    The brand is named, although row-level security shows no other: its policy, which must match null too, cannot use an
    index.
    """
    values = {condition: value for condition, value in wanted.items() if value is not None}
    statement = ListStatement(
        columns=_COLUMNS,
        tables="audit_entries e",
        conditions=[
            "e.brand_ref = current_brand()" if has_brand else "e.brand_ref is null",
            *(f"e.{condition} ${number}" for number, condition in enumerate(values, 1)),
        ],
        parameters=list(values.values()),
        keys=KEYS,
        ref="e.ref",
    )
    return (await read_page(tx, statement, page)).of(_entry)


async def find_entry(tx: Transaction, ref: int) -> Entry | None:
    """Row-level security shows those of the transaction's brand."""
    row = await tx.fetchrow(f"select {_COLUMNS} from audit_entries e where e.ref = $1", ref)  # noqa: S608 - fixed parts
    return None if row is None else _entry(row)


def _entry(row: asyncpg.Record) -> Entry:
    return msgspec.structs.replace(Entry(*list(row)[:8]), details=msgspec.json.decode(row["details"]))
