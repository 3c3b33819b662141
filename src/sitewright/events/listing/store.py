from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

KEYS = {"ref": SortKey("e.sequence")}


class EventRow(msgspec.Struct, frozen=True):
    ref: int
    """Its sequence."""
    kind: str
    at: datetime
    site_ref: int | None
    user_ref: int | None


class Event(msgspec.Struct, frozen=True):
    ref: int
    kind: str
    at: datetime
    site_ref: int | None
    id: UUID
    body: dict[str, Any]


async def list_events(
    tx: Transaction, kind: str | None, site_refs: Sequence[int] | None, page: PageRequest
) -> Page[EventRow]:
    """There are few kinds of events, so the primary key serves a filter by kind as well."""
    conditions, parameters = ["e.brand_ref = current_brand()"], []
    for condition, value in (("e.kind =", kind), ("e.site_ref = any", site_refs)):
        if value is not None:
            parameters.append(value)
            conditions.append(f"{condition} (${len(parameters)})")
    statement = ListStatement(
        columns="e.sequence, e.kind, e.at, e.site_ref,"
        " case when json_typeof(e.body -> 'accountHolder' -> 'ref') = 'number'"
        " then (e.body -> 'accountHolder' ->> 'ref')::bigint end as user_ref",
        tables="events e",
        conditions=conditions,
        parameters=parameters,
        keys=KEYS,
        ref="e.sequence",
    )
    return (await read_page(tx, statement, page)).of(lambda row: EventRow(*list(row)[:5]))


async def find_event(tx: Transaction, sequence: int) -> Event | None:
    row = await tx.fetchrow(
        "select sequence, kind, at, site_ref, id, body::text from events"
        " where brand_ref = current_brand() and sequence = $1",
        sequence,
    )
    return None if row is None else msgspec.structs.replace(Event(*row), body=msgspec.json.decode(row["body"]))


async def read_body(tx: Transaction, sequence: int) -> str | None:
    body: str | None = await tx.fetchval(
        "select body::text from events where brand_ref = current_brand() and sequence = $1", sequence
    )
    return body
