"""Statements of subscriptions, secrets and recorded attempts."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.webhooks.deliveries.classification import Outcome
from sitewright.webhooks.schemas import Subscription

SEALED_COLUMNS = [
    SealedColumn(
        "webhook_secrets",
        "sealed_secret",
        "webhook/{brand_ref}",
        if_lost="run sitewright webhooks rotate-secret for each brand, and give the receivers the new secret",
    )
]

_ONE = "select ref, event, url, active from webhook_subscriptions where brand_ref = current_brand() and ref = $1"
_ATTEMPTS = """
select a.ref, a.subscription_ref, e.id, e.kind, a.sequence, a.number, a.at, a.outcome, a.status, a.milliseconds,
       a.answer, a.error, a.next_attempt_at
  from webhook_attempts a join event_log e on e.brand_ref = a.brand_ref and e.sequence = a.sequence
 where a.brand_ref = current_brand() and a.subscription_ref = $1
"""


class StoredAttempt(msgspec.Struct, frozen=True):
    ref: int
    subscription_ref: int
    event_id: UUID
    event: str
    sequence: int
    number: int
    at: datetime
    outcome: Outcome
    status: int | None
    milliseconds: int
    answer: str | None
    error: str | None
    next_attempt_at: datetime | None


class OverviewRow(msgspec.Struct, frozen=True):
    """A subscription as operators see it."""

    brand_ref: int
    ref: int
    event: str
    url: str
    active: bool
    waiting: int
    dead: int
    last_attempt_at: datetime | None
    last_outcome: str | None


async def list_subscriptions(tx: Transaction) -> list[Subscription]:
    rows = await tx.fetch(
        "select ref, event, url, active from webhook_subscriptions where brand_ref = current_brand() order by ref"
    )
    return [Subscription(*row) for row in rows]


async def find_subscription(tx: Transaction, ref: int, *, lock: bool = False) -> Subscription | None:
    row = await tx.fetchrow(_ONE + (" for no key update" if lock else ""), ref)
    return None if row is None else Subscription(*row)


async def lock_subscriptions(tx: Transaction) -> None:
    """Takes an advisory lock, so that concurrent requests cannot exceed the brand's limit of subscriptions."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('webhook subscriptions', current_brand()))")


async def count_subscriptions(tx: Transaction) -> int:
    count: int = await tx.fetchval("select count(*) from webhook_subscriptions where brand_ref = current_brand()")
    return count


async def insert_subscription(
    tx: Transaction, event: str, url: str, destination: str, now: datetime, *, active: bool
) -> int:
    ref: int = await tx.fetchval(
        "insert into webhook_subscriptions (brand_ref, event, url, destination, active, created_at, updated_at)"
        " values (current_brand(), $1, $2, $3, $4, $5, $5) returning ref",
        event,
        url,
        destination,
        active,
        now,
    )
    return ref


async def update_subscription(
    tx: Transaction, ref: int, event: str, url: str, destination: str, now: datetime, *, active: bool
) -> None:
    await tx.execute(
        "update webhook_subscriptions set event = $2, url = $3, destination = $4, active = $5, updated_at = $6"
        " where brand_ref = current_brand() and ref = $1",
        ref,
        event,
        url,
        destination,
        active,
        now,
    )


async def delete_subscription(tx: Transaction, ref: int) -> None:
    """With its deliveries and attempts."""
    await tx.execute("delete from webhook_subscriptions where brand_ref = current_brand() and ref = $1", ref)


async def resume_deliveries(tx: Transaction, subscription_ref: int, now: datetime) -> None:
    """Deliveries held while the subscription was inactive are due at once; leased ones are left alone."""
    await tx.execute(
        "update webhook_deliveries set due_at = $2 where brand_ref = current_brand() and subscription_ref = $1"
        " and due_at > $2 and (lease_until is null or lease_until <= $2)"
        " and claimed_by is null",  # previous release
        subscription_ref,
        now,
    )


async def erase_responses(tx: Transaction, sequences: Sequence[int]) -> None:
    """Erases receivers' responses to these events."""
    await tx.execute(
        "update webhook_attempts set answer = null"
        " where brand_ref = current_brand() and sequence = any($1) and answer is not null",
        sequences,
    )


async def read_attempts(tx: Transaction, subscription_ref: int, window: Window) -> list[StoredAttempt]:
    """One page in order; for `before` the nearest ones."""
    order = "desc" if window.before is not None else "asc"
    rows = await tx.fetch(
        f"{_ATTEMPTS} and ($2::bigint is null or a.ref > $2) and ($3::bigint is null or a.ref < $3)"
        f" order by a.ref {order} limit $4 offset $5",
        subscription_ref,
        window.after,
        window.before,
        window.rows,
        window.offset,
    )
    return [StoredAttempt(*row) for row in (reversed(rows) if window.before is not None else rows)]


async def newest_attempts(
    tx: Transaction, subscription_ref: int, limit: int, *, failed_only: bool
) -> list[StoredAttempt]:
    rows = await tx.fetch(
        f"{_ATTEMPTS} and (not $3 or a.outcome <> 'delivered') order by a.ref desc limit $2",
        subscription_ref,
        limit,
        failed_only,
    )
    return [StoredAttempt(*row) for row in rows]


async def find_attempt(tx: Transaction, subscription_ref: int, ref: int) -> StoredAttempt | None:
    row = await tx.fetchrow(f"{_ATTEMPTS} and a.ref = $2", subscription_ref, ref)
    return None if row is None else StoredAttempt(*row)


async def replay(tx: Transaction, subscription_ref: int, sequence: int, now: datetime) -> None:
    """With its attempts reset; a leased delivery is left to its worker."""
    await tx.execute(
        """
        with replayed as (
            update webhook_deliveries set due_at = $3, attempts = 0, delivered_at = null, dead_at = null
             where brand_ref = current_brand() and subscription_ref = $1 and sequence = $2
               and (lease_until is null or lease_until <= $3) and claimed_by is null -- previous release
            returning 1)
        select pg_notify('sitewright_webhooks', '') from replayed
        """,
        subscription_ref,
        sequence,
        now,
    )


async def replay_dead(tx: Transaction, subscription_ref: int, now: datetime) -> int:
    """All dead letters of a subscription; returns how many."""
    status = await tx.execute(
        "update webhook_deliveries set due_at = $2, attempts = 0, dead_at = null"
        " where brand_ref = current_brand() and subscription_ref = $1 and dead_at is not null",
        subscription_ref,
        now,
    )
    await tx.execute("select pg_notify('sitewright_webhooks', '')")
    return int(status.rpartition(" ")[2])


async def current_secret(tx: Transaction) -> bytes | None:
    """Sealed."""
    sealed: bytes | None = await tx.fetchval(
        "select sealed_secret from webhook_secrets where brand_ref = current_brand() and expires_at is null"
    )
    return sealed


async def valid_secrets(tx: Transaction, now: datetime) -> list[bytes]:
    """Sealed, the newest first."""
    rows = await tx.fetch(
        "select sealed_secret from webhook_secrets where brand_ref = current_brand()"
        " and (expires_at is null or expires_at > $1) order by ref desc",
        now,
    )
    return [row["sealed_secret"] for row in rows]


async def lock_secrets(tx: Transaction) -> None:
    """Takes an advisory lock, which serializes changes of a brand's secrets."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('webhook secrets', current_brand()))")


async def insert_secret(tx: Transaction, sealed: bytes, now: datetime) -> None:
    await tx.execute(
        "insert into webhook_secrets (brand_ref, sealed_secret, created_at) values (current_brand(), $1, $2)",
        sealed,
        now,
    )


async def expire_secret(tx: Transaction, at: datetime) -> None:
    """Expires the current one; a new one must be inserted next."""
    await tx.execute(
        "update webhook_secrets set expires_at = $1 where brand_ref = current_brand() and expires_at is null", at
    )


async def overview(connection: Transaction, brand_ref: int | None) -> list[OverviewRow]:
    """Across brands."""
    rows = await connection.fetch("select * from all_webhook_subscriptions($1)", brand_ref)
    return [OverviewRow(*row) for row in rows]


async def brand_of_subscription(connection: Transaction, ref: int) -> int | None:
    brand_ref: int | None = await connection.fetchval("select brand_of_webhook_subscription($1)", ref)
    return brand_ref


async def subscription_of_attempt(connection: Transaction, ref: int) -> tuple[int, int] | None:
    """Its brand's ref and its own."""
    row = await connection.fetchrow("select brand_ref, subscription_ref from subscription_of_webhook_attempt($1)", ref)
    return None if row is None else (row["brand_ref"], row["subscription_ref"])


async def urls_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch(
        "select ref, url from webhook_subscriptions where brand_ref = current_brand() and ref = any($1)", refs
    )
    return {row["ref"]: row["url"] for row in rows}
