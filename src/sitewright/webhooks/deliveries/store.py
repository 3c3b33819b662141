"""Statements of the deliveries themselves. They look across brands, by functions of migration 0014."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from sitewright.kit.db import Transaction
from sitewright.webhooks.deliveries.judging import Outcome

CHANNEL = "sitewright_webhooks"
LOCK_KIND = 1463899721
"""Of the workers' advisory locks; migration 0014 knows it too."""


class Claimed(msgspec.Struct, frozen=True):
    brand_ref: int
    subscription_ref: int
    sequence: int
    attempts: int
    """Made before."""
    event_id: UUID
    body: str
    url: str
    destination: str
    sealed_secrets: list[bytes]


class Room(msgspec.Struct, frozen=True):
    """How many more deliveries of a brand may be claimed for a destination."""

    brand_ref: int
    destination: str
    room: int
    last_turn: int
    """The subscription that had it."""


class Noted(msgspec.Struct, frozen=True):
    """What came of an attempt."""

    claimed: Claimed
    at: datetime
    outcome: Outcome
    status: int | None
    milliseconds: int
    answer: str | None
    error: str | None
    next_attempt_at: datetime | None


async def new_number(connection: Transaction) -> int:
    number: int = await connection.fetchval("select nextval('webhook_workers')::integer")
    return number


async def appear(connection: Transaction, number: int, pid: int) -> bool:
    """Whether this connection stands for the worker from now on; not while a former one of its own still does. It says
    whose it is, and a server that hears nothing of it for half a minute takes it for lost."""
    await connection.execute(
        f"set application_name = 'sitewright webhooks {pid:d} worker {number:d}';"
        "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4"
    )
    is_there: bool = await connection.fetchval("select pg_try_advisory_lock($1, $2)", LOCK_KIND, number)
    return is_there


async def check_connection(connection: Transaction) -> None:
    await connection.execute("select 1")


async def free(connection: Transaction) -> None:
    """What workers that are there no more had in hand."""
    await connection.execute("select free_webhook_deliveries()")


async def claim(
    connection: Transaction,
    worker: int,
    now: datetime,
    free: int,
    after_brand: int,
    held: dict[int, int],
    rooms: Sequence[Room],
    usual: int,
) -> list[Claimed]:
    """See the function; `after_brand` is the one that had the last turn, `held` what brands have in hand."""
    rows = await connection.fetch(
        "select * from claim_webhook_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        worker,
        now,
        free,
        after_brand,
        list(held),
        list(held.values()),
        [f"{each.brand_ref} {each.destination}" for each in rooms],
        [each.room for each in rooms],
        [each.last_turn for each in rooms],
        usual,
    )
    return [Claimed(*row) for row in rows]


async def release(connection: Transaction, worker: int, claimed: Sequence[Claimed]) -> None:
    await connection.execute(
        "select release_webhook_deliveries($1, $2, $3, $4)",
        worker,
        [each.brand_ref for each in claimed],
        [each.subscription_ref for each in claimed],
        [each.sequence for each in claimed],
    )


async def release_others(connection: Transaction, worker: int, in_hand: Sequence[Claimed]) -> None:
    """Whatever is claimed under this number and not in hand."""
    await connection.execute(
        "select release_other_webhook_deliveries($1, $2, $3, $4)",
        worker,
        [each.brand_ref for each in in_hand],
        [each.subscription_ref for each in in_hand],
        [each.sequence for each in in_hand],
    )


async def note(connection: Transaction, worker: int, noted: Sequence[Noted]) -> None:
    await connection.execute(
        "select note_webhook_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        worker,
        [each.claimed.brand_ref for each in noted],
        [each.claimed.subscription_ref for each in noted],
        [each.claimed.sequence for each in noted],
        [each.at for each in noted],
        [each.outcome for each in noted],
        [each.status for each in noted],
        [each.milliseconds for each in noted],
        [each.answer for each in noted],
        [each.error for each in noted],
        [each.next_attempt_at for each in noted],
    )


async def count_waiting(connection: Transaction, now: datetime) -> int:
    """That are due and in nobody's hands."""
    count: int = await connection.fetchval("select count_waiting_webhook_deliveries($1)", now)
    return count


async def prune(connection: Transaction, older_than: datetime, now: datetime, most: int) -> int:
    removed: int = await connection.fetchval("select prune_webhooks($1, $2, $3)", older_than, now, most)
    return removed


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """For how long the oldest delivery is due that no worker has in hand; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_webhook_delivery($1)", now)
    return overdue
