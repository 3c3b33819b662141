from collections.abc import Sequence

from sitewright.kit.db import Transaction


async def missed_sequences(tx: Transaction, after: int, kinds: Sequence[str] | None, most: int) -> list[int]:
    """The next events with a dead letter, that is, which at least one subscription missed."""
    rows = await tx.fetch(
        "select distinct d.sequence from webhook_deliveries d"
        " join event_log e on e.brand_ref = d.brand_ref and e.sequence = d.sequence"
        " where d.brand_ref = current_brand() and d.dead_at is not null and d.sequence > $1"
        " and ($2::text[] is null or e.kind = any($2)) order by d.sequence limit $3",
        after,
        kinds,
        most,
    )
    return [row["sequence"] for row in rows]
