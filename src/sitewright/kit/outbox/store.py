"""SQL that is the same for all tables of work. Claims are SQL functions, one for each table."""

from collections.abc import Sequence
from datetime import datetime

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable

Leases = Sequence[Claimed]


def claimed(rows: Sequence[asyncpg.Record], lease_until: datetime) -> list[Claimed]:
    """Convert rows of (brand_ref, ref, attempts)."""
    return [Claimed(brand_ref, ref, attempts, lease_until) for brand_ref, ref, attempts in rows]


async def complete(tx: Transaction, table: WorkTable, items: Leases, now: datetime) -> None:
    await _update(tx, table, items, table.done, now)


async def dead_letter(tx: Transaction, table: WorkTable, items: Leases, now: datetime, reason: str) -> None:
    await _update(tx, table, items, f"{table.dead}, {table.error} = $4", now, reason)


async def release(tx: Transaction, table: WorkTable, items: Leases, now: datetime) -> None:
    """Make the items due immediately, and do not count the attempt."""
    await _update(tx, table, items, f"{table.due} = $3, {table.attempts} = greatest(t.{table.attempts} - 1, 0)", now)


async def extend(tx: Transaction, table: WorkTable, items: Leases, until: datetime) -> None:
    await _update(tx, table, items, f"{table.due} = $3", until)


async def retry(tx: Transaction, table: WorkTable, items: Leases, due: Sequence[datetime], reason: str) -> None:
    await tx.execute(
        f"update {table.name} t set {table.due} = held.next_due, {table.error} = $4"  # noqa: S608 - names of ours
        " from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) held (ref, lease_until, next_due)"
        f" where t.brand_ref = current_brand() and t.{table.ref} = held.ref and t.{table.due} = held.lease_until"
        f" and {table.pending}",
        [each.ref for each in items],
        [each.lease_until for each in items],
        due,
        reason,
    )


async def _update(tx: Transaction, table: WorkTable, items: Leases, changes: str, *values: object) -> None:
    """Update the items whose lease is still held: the end of the lease is the optimistic lock."""
    await tx.execute(
        f"update {table.name} t set {changes}"  # noqa: S608 - names of ours
        " from unnest($1::bigint[], $2::timestamptz[]) held (ref, lease_until)"
        f" where t.brand_ref = current_brand() and t.{table.ref} = held.ref and t.{table.due} = held.lease_until"
        f" and {table.pending} and $3::timestamptz is not null",  # not every change uses the time
        [each.ref for each in items],
        [each.lease_until for each in items],
        *values,
    )
