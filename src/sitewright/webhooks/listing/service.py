"""The webhooks of a brand as its staff sees them: subscriptions with their state, deliveries and attempts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest
from sitewright.webhooks.deliveries.classification import Outcome
from sitewright.webhooks.errors import AttemptNotFound, SubscriptionNotFound
from sitewright.webhooks.listing import store
from sitewright.webhooks.listing.store import Delivery, ListedAttempt, SubscriptionRow
from sitewright.webhooks.signing import webhook_id

__all__ = [
    "AttemptFilter",
    "AttemptState",
    "Delivery",
    "DeliveryState",
    "ListedAttempt",
    "Outcome",
    "State",
    "SubscriptionRow",
    "find_attempt",
    "find_subscription",
    "list_attempts",
    "list_deliveries",
    "list_subscriptions",
    "state_of",
    "state_of_delivery",
    "webhook_id_of",
]
State = Literal["active", "failed", "inactive"]
AttemptState = Literal["failed", "givenUp", "delivered"]
"""`givenUp`: the last attempt of a delivery that was given up and not retried."""
DeliveryState = Literal["waiting", "delivered", "dead"]


class AttemptFilter(msgspec.Struct, frozen=True, kw_only=True):
    subscription_ref: int | None = None
    sequence: int | None = None
    state: AttemptState | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""


async def list_subscriptions(tx: Transaction, state: State | None, page: PageRequest) -> Page[SubscriptionRow]:
    return await store.list_subscriptions(tx, state, page)


async def find_subscription(tx: Transaction, ref: int) -> SubscriptionRow:
    found = await store.find_subscription(tx, ref)
    if found is None:
        raise SubscriptionNotFound
    return found


def state_of(row: SubscriptionRow) -> State:
    return "inactive" if not row.active else "failed" if row.failing_since is not None or row.dead else "active"


async def list_attempts(tx: Transaction, wanted: AttemptFilter, page: PageRequest) -> Page[ListedAttempt]:
    return await store.list_attempts(tx, msgspec.structs.asdict(wanted), page)


async def find_attempt(tx: Transaction, ref: int) -> ListedAttempt:
    found = await store.find_attempt(tx, ref)
    if found is None:
        raise AttemptNotFound
    return found


def webhook_id_of(attempt: ListedAttempt) -> str:
    """The header that identified the event for the receiver."""
    return webhook_id(attempt.event_id, attempt.subscription_ref)


async def list_deliveries(tx: Transaction, sequence: int) -> Sequence[Delivery]:
    """Those of one event: at most one for each subscription."""
    return await store.list_deliveries(tx, sequence)


def state_of_delivery(delivery: Delivery) -> DeliveryState:
    return "delivered" if delivery.delivered_at else "dead" if delivery.dead_at else "waiting"
