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
    next_due = {each.ref: due_at for each, due_at in zip(items, due, strict=True)}
    for lease_until, refs in _by_lease(items).items():
        await tx.execute(
            f"update {table.name} t set {table.due} = retried.next_due, {table.error} = $4"  # noqa: S608 - names of ours
            " from unnest($1::bigint[], $3::timestamptz[]) retried (ref, next_due)"
            f" where {_held(table)} and t.{table.ref} = retried.ref",
            refs,
            lease_until,
            [next_due[ref] for ref in refs],
            reason,
        )


async def _update(tx: Transaction, table: WorkTable, items: Leases, changes: str, *values: object) -> None:
    for lease_until, refs in _by_lease(items).items():
        await tx.execute(
            f"update {table.name} t set {changes}"  # noqa: S608 - names of ours
            f" where {_held(table)} and $3::timestamptz is not null",  # not every change uses the time
            refs,
            lease_until,
            *values,
        )


def _held(table: WorkTable) -> str:
    """The items $1 whose lease $2 is still held: the end of the lease is the optimistic lock.

    All columns are in the index of pending items, so that few rows are read whatever PostgreSQL's statistics say: few
    items are pending most of the time, and a hundred thousand at others.
    """
    return (
        f"t.brand_ref = current_brand() and t.{table.ref} = any($1::bigint[]) and t.{table.due} = $2::timestamptz"
        f" and {table.pending}"
    )


def _by_lease(items: Leases) -> dict[datetime, list[int]]:
    """The refs of the items; those of one claim have the same lease."""
    refs: dict[datetime, list[int]] = {}
    for each in items:
        refs.setdefault(each.lease_until, []).append(each.ref)
    return refs
