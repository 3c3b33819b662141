"""The rules of subscriptions, their deliveries and attempts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sitewright.events import service as events
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.network_guard import Guard
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import FieldErrors
from sitewright.kit.sealing import Sealer
from sitewright.kit.timestamps import timestamp
from sitewright.settings import Settings
from sitewright.webhooks import store
from sitewright.webhooks.brand_secrets import ensure_secret, rotate_secret
from sitewright.webhooks.errors import (
    AttemptNotFound,
    SubscriptionInactive,
    SubscriptionLimitReached,
    SubscriptionNotFound,
)
from sitewright.webhooks.schemas import Attempt, Replay, Subscription, SubscriptionRequest
from sitewright.webhooks.signing import headers_of, webhook_id
from sitewright.webhooks.urls import check_url, parse_url

__all__ = [
    "check_subscription",
    "create_subscription",
    "delete_subscription",
    "edit_subscription",
    "ensure_secret",
    "find_subscription",
    "list_attempts",
    "list_subscriptions",
    "replay_attempt",
    "replay_dead",
    "resume_subscription",
    "rotate_secret",
    "urls_of",
]
MAX_SUBSCRIPTIONS = 1000


def check_subscription(settings: Settings, read: dict[str, Any]) -> FieldErrors:
    """Validates the URL; names are resolved and checked only when a delivery connects."""
    try:
        if "url" in read:
            check_url(read["url"], Guard(settings.webhook_allowed_networks))
    except ValueError as error:
        return {"url": {"invalidUrl": str(error)}}
    return {}


async def list_subscriptions(tx: Transaction) -> list[Subscription]:
    """First created first, inactive ones among them."""
    return await store.list_subscriptions(tx)


async def find_subscription(tx: Transaction, ref: int, *, lock: bool = False) -> Subscription:
    subscription = await store.find_subscription(tx, ref, lock=lock)
    if subscription is None:
        raise SubscriptionNotFound
    return subscription


async def create_subscription(
    tx: Transaction, sealer: Sealer, caller: Caller, brand_ref: int, requested: SubscriptionRequest
) -> Subscription:
    """Creates the brand's secret with its first subscription."""
    await store.lock_subscriptions(tx)
    if await store.count_subscriptions(tx) >= MAX_SUBSCRIPTIONS:
        raise SubscriptionLimitReached
    await ensure_secret(tx, sealer, brand_ref)
    destination = parse_url(requested.url).destination
    ref = await store.insert_subscription(
        tx, requested.event, requested.url, destination, clock.now(), active=requested.active
    )
    await audit.record_by(tx, caller, "create", "webhook subscription", ref, event=requested.event)
    return Subscription(ref, requested.event, requested.url, requested.active)


async def edit_subscription(
    tx: Transaction, caller: Caller, subscription: Subscription, requested: SubscriptionRequest
) -> Subscription:
    """Waiting deliveries go to the new URL. They are held while it is inactive, and due at once when active again.

    After the commit, workers release the deliveries that they have claimed and not started.
    """
    changed = await _update(tx, subscription, requested)
    await audit.record_by(tx, caller, "edit", "webhook subscription", subscription.id, active=requested.active)
    return changed


async def resume_subscription(tx: Transaction, caller: Caller, subscription: Subscription) -> None:
    """Deliver events again, and those that were held; nothing happens to one that is active."""
    if not subscription.active:
        await _update(tx, subscription, SubscriptionRequest(subscription.event, subscription.url, active=True))
        await audit.record_by(tx, caller, "resume", "webhook subscription", subscription.id)


async def _update(tx: Transaction, subscription: Subscription, requested: SubscriptionRequest) -> Subscription:
    destination, now = parse_url(requested.url).destination, clock.now()
    await store.update_subscription(
        tx, subscription.id, requested.event, requested.url, destination, now, active=requested.active
    )
    if requested.active and not subscription.active:
        await store.resume_deliveries(tx, subscription.id, now)
    return Subscription(subscription.id, requested.event, requested.url, requested.active)


async def delete_subscription(tx: Transaction, caller: Caller, subscription: Subscription) -> None:
    """With its deliveries and attempts."""
    await store.delete_subscription(tx, subscription.id)
    await audit.record_by(tx, caller, "delete", "webhook subscription", subscription.id)


async def erase_site(tx: Transaction, site_ref: int) -> None:
    """Observes sites: erases receivers' responses, which may repeat the names of the erased site."""
    sequences = await events.sequences_of_site(tx, site_ref)
    if sequences:
        await store.erase_responses(tx, sequences)


async def list_attempts(
    tx: Transaction, subscription: Subscription, window: Window, time_zone: str
) -> tuple[list[Attempt], Page]:
    stored = await store.read_attempts(tx, subscription.id, window)
    page = cut(window, [each.ref for each in stored])
    shown = set(page.refs)
    return [_present(each, time_zone) for each in stored if each.ref in shown], page


async def replay_attempt(tx: Transaction, caller: Caller, subscription: Subscription, attempt_ref: int) -> Replay:
    """Delivers its event again, with the same body and id, and with the retries of a new delivery."""
    attempt = await store.find_attempt(tx, subscription.id, attempt_ref)
    if attempt is None:
        raise AttemptNotFound
    if not subscription.active:
        raise SubscriptionInactive
    await store.replay(tx, subscription.id, attempt.sequence, clock.now())
    await audit.record_by(tx, caller, "replay", "webhook attempt", attempt_ref, subscriptionId=subscription.id)
    return Replay(webhook_id(attempt.event_id, subscription.id), str(attempt.event_id), attempt.sequence)


async def replay_dead(tx: Transaction, caller: Caller, subscription: Subscription) -> int:
    """Delivers all dead letters of a subscription again; returns how many."""
    if not subscription.active:
        raise SubscriptionInactive
    count = await store.replay_dead(tx, subscription.id, clock.now())
    await audit.record_by(tx, caller, "replay dead", "webhook subscription", subscription.id, count=count)
    return count


def _present(stored: store.StoredAttempt, zone: str) -> Attempt:
    return Attempt(
        id=stored.ref,
        webhook_id=webhook_id(stored.event_id, stored.subscription_ref),
        event_id=str(stored.event_id),
        event=stored.event,
        sequence=stored.sequence,
        number=stored.number,
        at=timestamp(stored.at, zone),
        outcome=stored.outcome,
        status=stored.status,
        milliseconds=stored.milliseconds,
        answer=stored.answer,
        error=stored.error,
        next_attempt=None if stored.next_attempt_at is None else timestamp(stored.next_attempt_at, zone),
    )


def example_headers(secret: str, event_id: UUID, at: datetime, body: bytes) -> dict[str, str]:
    """The headers of a delivery that is an example in the reference."""
    return headers_of(webhook_id(event_id, 3), at, body, [secret])


async def urls_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The URLs of subscriptions."""
    return await store.urls_of(tx, refs)
