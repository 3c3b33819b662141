"""Statements of deliveries, across brands, by functions in migrations/webhooks."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from sitewright.kit.db import Transaction
from sitewright.webhooks.deliveries.classification import Outcome

CHANNEL = "sitewright_webhooks"


class Claimed(msgspec.Struct, frozen=True):
    brand_ref: int
    subscription_ref: int
    sequence: int
    attempts: int
    """The attempts before this one."""
    due_at: datetime
    """When it was due before the claim."""
    url: str
    destination: str
    share: int
    """How many deliveries of its subscription this claim was allowed to take."""
    event_id: UUID
    body: str
    sealed_secrets: list[bytes]
    lease_until: datetime


class Capacity(msgspec.Struct, frozen=True):
    """How many more deliveries may be claimed for a queue."""

    brand_ref: int
    destination: str
    capacity: int


class Attempt(msgspec.Struct, frozen=True):
    """The outcome of one POST."""

    claimed: Claimed
    at: datetime
    outcome: Outcome
    status: int | None
    milliseconds: int
    answer: str | None
    error: str | None
    next_attempt_at: datetime | None


async def claim(
    connection: Transaction,
    now: datetime,
    lease_until: datetime,
    most: int,
    brand_limits: Mapping[int, int],
    queues: Sequence[Capacity],
    default_capacity: int,
) -> list[Claimed]:
    """Claims due deliveries under a lease. `default_capacity` applies to queues that are not listed."""
    rows = await connection.fetch(
        "select *, $2::timestamptz from claim_due_webhook_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        now,
        lease_until,
        most,
        list(brand_limits),
        list(brand_limits.values()),
        [each.brand_ref for each in queues],
        [each.destination for each in queues],
        [each.capacity for each in queues],
        default_capacity,
    )
    return [Claimed(*row) for row in rows]


async def release(connection: Transaction, claimed: Sequence[Claimed]) -> None:
    await connection.execute(
        "select release_leased_webhook_deliveries($1, $2, $3, $4, $5)",
        [each.brand_ref for each in claimed],
        [each.subscription_ref for each in claimed],
        [each.sequence for each in claimed],
        [each.lease_until for each in claimed],
        [each.due_at for each in claimed],
    )


async def record(connection: Transaction, attempts: Sequence[Attempt]) -> None:
    await connection.execute(
        "select record_webhook_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        [each.claimed.brand_ref for each in attempts],
        [each.claimed.subscription_ref for each in attempts],
        [each.claimed.sequence for each in attempts],
        [each.claimed.lease_until for each in attempts],
        [each.at for each in attempts],
        [each.outcome for each in attempts],
        [each.status for each in attempts],
        [each.milliseconds for each in attempts],
        [each.answer for each in attempts],
        [each.error for each in attempts],
        [each.next_attempt_at for each in attempts],
    )


async def free_claims_of_previous_release(connection: Transaction) -> None:
    """Its workers claimed under worker numbers, without leases. To be removed in the next release."""
    await connection.execute("select free_webhook_deliveries()")


async def count_waiting(connection: Transaction, now: datetime) -> int:
    """Deliveries that are due and not claimed."""
    count: int = await connection.fetchval("select count_waiting_webhook_deliveries($1)", now)
    return count


async def prune(connection: Transaction, older_than: datetime, now: datetime, most: int) -> int:
    removed: int = await connection.fetchval("select prune_webhooks($1, $2, $3)", older_than, now, most)
    return removed


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """How long the oldest unclaimed delivery has been due; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_webhook_delivery($1)", now)
    return overdue
