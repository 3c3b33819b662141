"""Subscriptions to events, and what became of their deliveries."""

from collections.abc import Sequence
from typing import Any

from sitewright.events import service as events
from sitewright.events.hooks import Emitted
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import FieldErrors
from sitewright.kit.sealing import Sealer
from sitewright.kit.timestamps import timestamp
from sitewright.settings import Settings
from sitewright.webhooks import store
from sitewright.webhooks.addresses import check_address, read_address
from sitewright.webhooks.brand_secrets import ensure_secret, rotate_secret
from sitewright.webhooks.errors import (
    AttemptNotFound,
    SubscriptionInactive,
    SubscriptionLimitReached,
    SubscriptionNotFound,
)
from sitewright.webhooks.guard import Guard
from sitewright.webhooks.schemas import Attempt, Replay, Subscription, WantedSubscription
from sitewright.webhooks.signing import webhook_id

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
    "rotate_secret",
]
MOST_SUBSCRIPTIONS = 1000


def check_subscription(settings: Settings, read: dict[str, Any]) -> FieldErrors:
    """What is wrong with the URL, as far as that can be said before it is dialled."""
    try:
        if "url" in read:
            check_address(read["url"], Guard(settings.webhook_allowed_networks))
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
    tx: Transaction, sealer: Sealer, caller: Caller, brand_ref: int, wanted: WantedSubscription
) -> Subscription:
    """With the brand's first one comes its secret."""
    await store.take_turn_with_subscriptions(tx)
    if await store.count_subscriptions(tx) >= MOST_SUBSCRIPTIONS:
        raise SubscriptionLimitReached
    await ensure_secret(tx, sealer, brand_ref)
    destination = read_address(wanted.url).destination
    ref = await store.insert_subscription(tx, wanted.event, wanted.url, destination, clock.now(), active=wanted.active)
    await audit.record_by(tx, caller, "create", "webhook subscription", ref, event=wanted.event)
    return Subscription(ref, wanted.event, wanted.url, wanted.active)


async def edit_subscription(
    tx: Transaction, caller: Caller, subscription: Subscription, wanted: WantedSubscription
) -> Subscription:
    """What waits for it goes to the new URL. Inactive, it is held; active again, it is delivered at once. What workers
    have in hand and have not begun to post they give back as soon as this is committed."""
    destination, now = read_address(wanted.url).destination, clock.now()
    await store.update_subscription(
        tx, subscription.id, wanted.event, wanted.url, destination, now, active=wanted.active
    )
    if wanted.active and not subscription.active:
        await store.resume_deliveries(tx, subscription.id, now)
    await audit.record_by(tx, caller, "edit", "webhook subscription", subscription.id, active=wanted.active)
    return Subscription(subscription.id, wanted.event, wanted.url, wanted.active)


async def delete_subscription(tx: Transaction, caller: Caller, subscription: Subscription) -> None:
    """With all that waits for it, and all that is kept of its attempts."""
    await store.delete_subscription(tx, subscription.id)
    await audit.record_by(tx, caller, "delete", "webhook subscription", subscription.id)


async def fan_out(tx: Transaction, emitted: Sequence[Emitted]) -> None:
    """Observes events: one delivery of each event for every active subscription to its kind, in one statement."""
    await store.insert_deliveries(tx, emitted)


async def erase_site(tx: Transaction, site_ref: int) -> None:
    """Observes sites: receivers' responses go, since they may repeat the names of a site that was deleted for good."""
    sequences = await events.sequences_of_site(tx, site_ref)
    if sequences:
        await store.clear_answers(tx, sequences)


async def list_attempts(
    tx: Transaction, subscription: Subscription, window: Window, time_zone: str
) -> tuple[list[Attempt], Page]:
    kept = await store.read_attempts(tx, subscription.id, window)
    page = cut(window, [each.ref for each in kept])
    shown = set(page.refs)
    return [_told(each, time_zone) for each in kept if each.ref in shown], page


async def replay_attempt(tx: Transaction, caller: Caller, subscription: Subscription, attempt_ref: int) -> Replay:
    """Its delivery is made again, with the same body under the same id, and retried like a new one."""
    attempt = await store.find_attempt(tx, subscription.id, attempt_ref)
    if attempt is None:
        raise AttemptNotFound
    if not subscription.active:
        raise SubscriptionInactive
    await store.replay(tx, subscription.id, attempt.sequence, clock.now())
    await audit.record_by(tx, caller, "replay", "webhook attempt", attempt_ref, subscriptionId=subscription.id)
    return Replay(webhook_id(attempt.event_id, subscription.id), str(attempt.event_id), attempt.sequence)


def _told(kept: store.KeptAttempt, zone: str) -> Attempt:
    return Attempt(
        id=kept.ref,
        webhook_id=webhook_id(kept.event_id, kept.subscription_ref),
        event_id=str(kept.event_id),
        event=kept.event,
        sequence=kept.sequence,
        number=kept.number,
        at=timestamp(kept.at, zone),
        outcome=kept.outcome,
        status=kept.status,
        milliseconds=kept.milliseconds,
        answer=kept.answer,
        error=kept.error,
        next_attempt=None if kept.next_attempt_at is None else timestamp(kept.next_attempt_at, zone),
    )
