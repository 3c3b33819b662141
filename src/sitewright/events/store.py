from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from sitewright.kit.db import Transaction


async def insert_event(tx: Transaction, event_id: UUID, kind: str, body: dict[str, Any], at: datetime) -> int:
    """The body also tells the event's sequence, which is known only here; what is kept is what will be delivered."""
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


async def forget_site(tx: Transaction, site_ref: int) -> None:
    await tx.execute("select forget_site_in_events($1)", site_ref)
