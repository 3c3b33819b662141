from collections.abc import Sequence
from datetime import datetime

from sitewright.kit.arrays import array_text
from sitewright.kit.db import Transaction


async def insert_events(
    tx: Transaction, ids: Sequence[str], kinds: Sequence[str], bodies: Sequence[bytes], times: Sequence[datetime]
) -> None:
    """`ids` are UUIDs. `bodies` are JSON objects without line breaks, and without `sequence`, which the sequencer
    adds."""
    await tx.execute(
        "insert into event_inbox (brand_ref, id, kind, at, body)"
        " select current_brand(), id, kind, at, body::json"
        "   from rows from (unnest($1::text::uuid[], $2::text::text[], $3::text::timestamptz[]),"
        "                   string_to_table($4, E'\\n')) as event (id, kind, at, body)",
        array_text(ids),
        array_text(kinds),
        array_text(times),
        b"\n".join(bodies).decode(),
    )


async def sequences_of_site(tx: Transaction, site_ref: int) -> list[int]:
    rows = await tx.fetch("select sequence from events where brand_ref = current_brand() and site_ref = $1", site_ref)
    return [row["sequence"] for row in rows]


async def erase_site(tx: Transaction, site_ref: int) -> None:
    await tx.execute("select erase_site_in_events($1)", site_ref)
