"""SQL of the erasures of sites: those that wait, as an outbox, and the receipts of those that were carried out."""

from datetime import datetime, timedelta

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed

WORK = WorkTable(
    name="site_erasures",
    ref="site_ref",
    pending="t.erased_at is null",
    done="due_at = null, last_error = null",
    dead="due_at = $3 + interval '1 day', attempts = 0",
)
"""An erasure is never given up: one that fails repeatedly is tried again every day."""
_DUE = """
select {} from site_erasures
 where brand_ref = current_brand() and due_at is not null and erase_after <= $1
 order by erase_after, site_ref limit $2
"""
_SAVE_ERASED = """
insert into site_erasures as e
       (brand_ref, site_ref, reseller_ref, requested_at, erase_after, was_live, erased_at, counts)
select s.brand_ref, s.ref, s.reseller_ref, $2, $2, s.live, $2, $3::json
  from sites s where s.brand_ref = current_brand() and s.ref = $1
on conflict (brand_ref, site_ref) do update set erased_at = excluded.erased_at, counts = excluded.counts,
       erase_after = least(e.erase_after, excluded.erased_at), due_at = null, last_error = null
"""


class Erasure(msgspec.Struct, frozen=True):
    site_ref: int
    brand_ref: int
    requested_at: datetime
    erase_after: datetime
    erased_at: datetime | None
    counts: dict[str, int]
    """What was erased; empty before."""


async def find(tx: Transaction, site_ref: int, reseller_ref: int | None) -> Erasure | None:
    """With `reseller_ref` only if the site was one of that reseller's users."""
    row = await tx.fetchrow(
        "select site_ref, brand_ref, requested_at, erase_after, erased_at, counts::text from site_erasures"
        " where brand_ref = current_brand() and site_ref = $1 and ($2::bigint is null or reseller_ref = $2)",
        site_ref,
        reseller_ref,
    )
    if row is None:
        return None
    return Erasure(**{**row, "counts": msgspec.json.decode(row["counts"], type=dict[str, int])})


async def insert(
    tx: Transaction, site_ref: int, requested_at: datetime, erase_after: datetime, due_at: datetime
) -> bool:
    """Before the site is taken offline. Returns False where the erasure waits already, which keeps its time.

    The first two times are the brand's, `due_at` is the service's.
    """
    inserted = await tx.fetchval(
        "insert into site_erasures (brand_ref, site_ref, reseller_ref, requested_at, erase_after, due_at, was_live)"
        " select s.brand_ref, s.ref, s.reseller_ref, $2, $3, $4, s.live from sites s"
        "  where s.brand_ref = current_brand() and s.ref = $1 on conflict do nothing returning true",
        site_ref,
        requested_at,
        erase_after,
        due_at,
    )
    return inserted is True


async def save_erased(tx: Transaction, site_ref: int, now: datetime, counts: dict[str, int]) -> None:
    """The receipt, written just before the site is erased; where it had to wait, the time of the request stays."""
    await tx.execute(_SAVE_ERASED, site_ref, now, msgspec.json.encode(counts).decode())


async def delete_waiting(tx: Transaction, site_ref: int) -> bool | None:
    """Cancels the erasure; returns whether the site was live before it, or None where no erasure waits."""
    was_live: bool | None = await tx.fetchval(
        "delete from site_erasures where brand_ref = current_brand() and site_ref = $1 and erased_at is null"
        " returning was_live",
        site_ref,
    )
    return was_live


async def make_due(tx: Transaction, user_ref: int, now: datetime) -> None:
    """Those of the user's sites need not wait any longer."""
    await tx.execute(
        "update site_erasures e set due_at = $2, erase_after = least(e.erase_after, $2) from sites s"
        " where s.brand_ref = current_brand() and s.user_ref = $1 and e.brand_ref = s.brand_ref and e.site_ref = s.ref"
        "   and e.erased_at is null",
        user_ref,
        now,
    )


async def due_times(tx: Transaction, until: datetime, limit: int) -> list[datetime]:
    """When the first sites are to be erased until then, by the brand's time."""
    rows = await tx.fetch(_DUE.format("erase_after"), until, limit)
    return [row["erase_after"] for row in rows]


async def list_due(tx: Transaction, until: datetime, limit: int) -> list[int]:
    """The sites that are to be erased until then, by the brand's time, in this order."""
    return [row["site_ref"] for row in await tx.fetch(_DUE.format("site_ref"), until, limit)]


async def follow_clock(tx: Transaction, now: datetime, brand_now: datetime) -> None:
    """The brand's clock was moved: what waits is due by the service's clock when it is due by the brand's."""
    await tx.execute(
        "update site_erasures set due_at = $1 + (erase_after - $2)"
        " where brand_ref = current_brand() and due_at > $1 and erased_at is null",
        now,
        brand_now,
    )


async def claim(connection: Transaction, now: datetime, lease_until: datetime, most: int) -> list[Claimed]:
    """Claims due erasures under a lease, across brands."""
    rows = await connection.fetch("select * from claim_due_site_erasures($1, $2, $3)", now, lease_until, most)
    return claimed(rows, lease_until)


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """How long the oldest due erasure has been waiting, across brands."""
    found: timedelta | None = await connection.fetchval("select $1 - oldest_due_site_erasure($1)", now)
    return found
