from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sitewright.kit.db import Transaction


async def insert_events(
    tx: Transaction, ids: Sequence[UUID], kinds: Sequence[str], bodies: Sequence[str], times: Sequence[datetime]
) -> None:
    """`bodies` are JSON objects without `sequence`, which the sequencer adds."""
    await tx.execute(
        "insert into event_inbox (brand_ref, id, kind, body, at)"
        " select current_brand(), * from unnest($1::uuid[], $2::text[], $3::json[], $4::timestamptz[])",
        ids,
        kinds,
        bodies,
        times,
    )


async def sequences_of_site(tx: Transaction, site_ref: int) -> list[int]:
    rows = await tx.fetch("select sequence from events where brand_ref = current_brand() and site_ref = $1", site_ref)
    return [row["sequence"] for row in rows]


async def erase_site(tx: Transaction, site_ref: int) -> None:
    await tx.execute("select erase_site_in_events($1)", site_ref)
