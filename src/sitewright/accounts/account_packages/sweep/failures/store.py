"""Statements about users whose due packages could not be changed. Functions across brands are in the migrations."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed

Key = tuple[int, int]
"""Brand and user."""


class Failure(msgspec.Struct, frozen=True):
    brand_ref: int
    user_ref: int
    account_package_ref: int
    failed_at: datetime
    """For the first time."""
    attempts: int
    reason: str
    retry_at: datetime | None
    """None: a dead letter."""


TABLE = WorkTable(
    name="package_sweep_failures",
    pending="retry_at is not null",
    ref="user_ref",
    due="retry_at",
    error="reason",
    done="retry_at = null",  # only if something else than `delete` ended it
    dead="retry_at = null",
)


async def claim(connection: Transaction, now: datetime, lease_until: datetime, limit: int) -> list[Claimed]:
    """Failed users of all brands whose back-off is over. Their `ref` is the user's."""
    rows = await connection.fetch("select * from claim_due_package_failures($1, $2, $3)", now, lease_until, limit)
    return claimed(rows, lease_until)


async def record(
    tx: Transaction, user_ref: int, until: datetime, now: datetime, reason: str, retry_at: datetime | None
) -> bool:
    """For the package that is due first. False when none is due, since another transaction has applied it.

    `until` is a time of the brand, `now` and `retry_at` are times of the service.
    """
    status = await tx.execute(
        "insert into package_sweep_failures as f"
        " (brand_ref, user_ref, account_package_ref, failed_at, reason, retry_at)"
        " select brand_ref, user_ref, ref, $3, $4, $5 from account_packages"
        "  where brand_ref = current_brand() and user_ref = $1 and ended_at is null and due_at <= $2"
        "  order by due_at, ref limit 1"
        " on conflict (brand_ref, user_ref) do update set account_package_ref = excluded.account_package_ref,"
        " attempts = f.attempts + 1, reason = excluded.reason, retry_at = excluded.retry_at",
        user_ref,
        until,
        now,
        reason,
        retry_at,
    )
    return status != "INSERT 0 0"


async def delete(tx: Transaction, user_ref: int) -> None:
    await tx.execute("delete from package_sweep_failures where brand_ref = current_brand() and user_ref = $1", user_ref)


async def list_failures(connection: Transaction, brand_ref: int | None, limit: int) -> list[Failure]:
    """Failures of all brands or of one, the oldest first."""
    rows = await connection.fetch("select * from all_package_sweep_failures($1, $2)", brand_ref, limit)
    return [Failure(*row) for row in rows]


async def retry(connection: Transaction, brand_ref: int | None, user_ref: int | None, now: datetime) -> list[Key]:
    rows = await connection.fetch(
        "select * from retry_package_sweep_failures($1, $2, $3) order by 1, 2", brand_ref, user_ref, now
    )
    return [(row["brand_ref"], row["user_ref"]) for row in rows]


async def count_dead_letters(connection: Transaction) -> int:
    count: int = await connection.fetchval("select count_package_sweep_dead_letters()")
    return count
