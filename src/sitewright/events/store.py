from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from sitewright.kit.db import Transaction


async def insert_event(tx: Transaction, event_id: UUID, kind: str, body: dict[str, Any], at: datetime) -> int:
    """Adds the sequence, which is known only here, to the body; the stored body is what will be delivered."""
    sequence: int = await tx.fetchval(
        """
        with taken as (
            insert into event_sequences (brand_ref, last) values (current_brand(), 1)
            on conflict (brand_ref) do update set last = event_sequences.last + 1 returning last)
        insert into events (brand_ref, sequence, id, kind, body, at)
        select current_brand(), last, $1, $2, (left($3, -1) || ',"sequence":' || last || '}')::json, $4 from taken
        returning sequence
        """,
        event_id,
        kind,
        msgspec.json.encode(body).decode(),
        at,
    )
    return sequence


async def sequences_of_site(tx: Transaction, site_ref: int) -> list[int]:
    rows = await tx.fetch("select sequence from events where brand_ref = current_brand() and site_ref = $1", site_ref)
    return [row["sequence"] for row in rows]


async def erase_site(tx: Transaction, site_ref: int) -> None:
    await tx.execute("select erase_site_in_events($1)", site_ref)
