from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page
from sitewright.webhooks.deliveries.classification import Outcome

_SUBSCRIPTIONS = """
webhook_subscriptions s
cross join lateral (
      select count(*) as waiting from webhook_deliveries w
       where w.brand_ref = s.brand_ref and w.subscription_ref = s.ref and w.due_at is not null
         and w.claimed_by is null) w
cross join lateral (
      select count(*) as dead from webhook_deliveries d
       where d.brand_ref = s.brand_ref and d.subscription_ref = s.ref and d.dead_at is not null) d
cross join lateral (
      select (array_agg(n.at order by n.ref desc))[1] as last_at,
             (array_agg(n.outcome order by n.ref desc))[1] as last_outcome,
             min(n.at) filter (where n.ref > coalesce(n.last_success, 0)) as failing_since
        from (select t.*, max(t.ref) filter (where t.outcome = 'delivered') over () as last_success
                from (select a.ref, a.at, a.outcome from webhook_attempts a
                       where a.brand_ref = s.brand_ref and a.subscription_ref = s.ref
                       order by a.ref desc limit 1000) t) n) a
"""
"""A brand has at most 1,000 subscriptions; of each, the last 1,000 attempts tell since when it fails."""
_COLUMNS = (
    "s.ref, s.event, s.url, s.active, s.created_at, w.waiting, d.dead, a.last_at, a.last_outcome, a.failing_since"
)
_STATES = {
    None: "true",
    "active": "s.active and a.failing_since is null and d.dead = 0",
    "failed": "s.active and (a.failing_since is not null or d.dead > 0)",
    "inactive": "not s.active",
}
_ATTEMPTS = """
webhook_attempts a
join event_log e on e.brand_ref = a.brand_ref and e.sequence = a.sequence
join webhook_subscriptions s on s.brand_ref = a.brand_ref and s.ref = a.subscription_ref
"""
_ATTEMPT_COLUMNS = (
    "a.ref, a.subscription_ref, s.url, e.id, e.kind, a.sequence, a.number, a.at, a.outcome, a.status, a.milliseconds,"
    " a.answer, a.error, a.next_attempt_at"
)
_ATTEMPT_STATES = {
    "failed": "a.outcome <> 'delivered'",
    "givenUp": "a.outcome <> 'delivered' and exists (select from webhook_deliveries d"
    " where d.brand_ref = a.brand_ref and d.sequence = a.sequence"
    " and d.subscription_ref = a.subscription_ref and d.dead_at = a.at)",
    "delivered": "a.outcome = 'delivered'",
}
_CONDITIONS = {
    "subscription_ref": "a.subscription_ref = ${}",
    "sequence": "a.sequence = ${}",
    "since": "a.at >= ${}",
    "until": "a.at < ${}",
}


class SubscriptionRow(msgspec.Struct, frozen=True):
    ref: int
    event: str
    url: str
    active: bool
    created_at: datetime
    waiting: int
    dead: int
    last_at: datetime | None
    last_outcome: Outcome | None
    failing_since: datetime | None


class ListedAttempt(msgspec.Struct, frozen=True):
    ref: int
    subscription_ref: int
    url: str
    """The subscription's today."""
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


class Delivery(msgspec.Struct, frozen=True):
    subscription_ref: int
    url: str
    attempts: int
    due_at: datetime | None
    delivered_at: datetime | None
    dead_at: datetime | None
    last_attempt_ref: int | None


async def list_subscriptions(tx: Transaction, state: str | None, page: PageRequest) -> Page[SubscriptionRow]:
    statement = ListStatement(
        columns=_COLUMNS,
        tables=_SUBSCRIPTIONS,
        conditions=["s.brand_ref = current_brand()", _STATES[state]],
        parameters=[],
        keys={"ref": SortKey("s.ref")},
        ref="s.ref",
    )
    return (await read_page(tx, statement, page)).of(_subscription)


async def find_subscription(tx: Transaction, ref: int) -> SubscriptionRow | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS} from {_SUBSCRIPTIONS} where s.brand_ref = current_brand() and s.ref = $1",  # noqa: S608
        ref,
    )
    return None if row is None else _subscription(row)


async def list_attempts(tx: Transaction, wanted: Mapping[str, Any], page: PageRequest) -> Page[ListedAttempt]:
    conditions, parameters = ["a.brand_ref = current_brand()"], []
    if wanted["state"] is not None:
        conditions.append(_ATTEMPT_STATES[wanted["state"]])
    for name, condition in _CONDITIONS.items():
        if wanted[name] is not None:
            parameters.append(wanted[name])
            conditions.append(condition.format(len(parameters)))
    statement = ListStatement(
        columns=_ATTEMPT_COLUMNS,
        tables=_ATTEMPTS,
        conditions=conditions,
        parameters=parameters,
        keys={"ref": SortKey("a.ref")},
        ref="a.ref",
    )
    return (await read_page(tx, statement, page)).of(_attempt)


async def find_attempt(tx: Transaction, ref: int) -> ListedAttempt | None:
    row = await tx.fetchrow(
        f"select {_ATTEMPT_COLUMNS} from {_ATTEMPTS} where a.brand_ref = current_brand() and a.ref = $1",  # noqa: S608
        ref,
    )
    return None if row is None else _attempt(row)


async def list_deliveries(tx: Transaction, sequence: int) -> list[Delivery]:
    rows = await tx.fetch(
        "select d.subscription_ref, s.url, d.attempts, d.due_at, d.delivered_at, d.dead_at,"
        " (select max(a.ref) from webhook_attempts a where a.brand_ref = d.brand_ref and a.sequence = d.sequence"
        "   and a.subscription_ref = d.subscription_ref) as last_attempt_ref"
        " from webhook_deliveries d"
        " join webhook_subscriptions s on s.brand_ref = d.brand_ref and s.ref = d.subscription_ref"
        " where d.brand_ref = current_brand() and d.sequence = $1 order by d.subscription_ref",
        sequence,
    )
    return [Delivery(*row) for row in rows]


def _subscription(row: asyncpg.Record) -> SubscriptionRow:
    return SubscriptionRow(*list(row)[:10])


def _attempt(row: asyncpg.Record) -> ListedAttempt:
    return ListedAttempt(*list(row)[:14])
