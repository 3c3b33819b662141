"""Operator commands for webhooks of any brand; subscriptions and attempts are named by their refs alone."""

import uuid

import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.resources import Resources
from sitewright.kit.timestamps import iso_utc
from sitewright.settings import Settings
from sitewright.webhooks import service, store
from sitewright.webhooks.brand_secrets import SecretCache
from sitewright.webhooks.deliveries.posting import open_poster
from sitewright.webhooks.deliveries.responses import Response
from sitewright.webhooks.errors import AttemptNotFound, SubscriptionNotFound
from sitewright.webhooks.service import find_subscription, replay_attempt
from sitewright.webhooks.signing import headers_of
from sitewright.webhooks.store import OverviewRow, StoredAttempt

TEST_EVENT = "webhook.test"


async def overview(resources: Resources, brand_ref: int | None) -> list[OverviewRow]:
    async with resources.database.connection() as connection:
        return await store.overview(connection, brand_ref)


async def attempts(
    resources: Resources, subscription_ref: int, limit: int, *, failed_only: bool
) -> list[StoredAttempt]:
    """Newest first."""
    async with resources.database.transaction(await _brand_of(resources, subscription_ref)) as tx:
        return await store.newest_attempts(tx, subscription_ref, limit, failed_only=failed_only)


async def replay(resources: Resources, actor: Caller, attempt_ref: int) -> None:
    async with resources.database.connection() as connection:
        found = await store.subscription_of_attempt(connection, attempt_ref)
    if found is None:
        raise AttemptNotFound
    brand_ref, subscription_ref = found
    async with resources.database.transaction(brand_ref) as tx:
        await replay_attempt(tx, actor, await find_subscription(tx, subscription_ref, lock=True), attempt_ref)


async def replay_dead(resources: Resources, actor: Caller, subscription_ref: int) -> int:
    """Replays all dead letters of a subscription; returns how many."""
    async with resources.database.transaction(await _brand_of(resources, subscription_ref)) as tx:
        return await service.replay_dead(tx, actor, await find_subscription(tx, subscription_ref, lock=True))


async def send_test(resources: Resources, settings: Settings, actor: Caller, subscription_ref: int) -> Response:
    """Sends a signed test event like a delivery; it is neither recorded nor retried."""
    brand_ref = await _brand_of(resources, subscription_ref)
    async with resources.database.transaction(brand_ref) as tx:
        subscription = await find_subscription(tx, subscription_ref)
        sealed = await store.valid_secrets(tx, clock.now())
        await audit.record_by(tx, actor, "test", "webhook subscription", subscription_ref)
    secrets, now, event_id = SecretCache(resources.sealer).unseal(brand_ref, sealed), clock.real_now(), uuid.uuid4()
    event = {
        "eventName": TEST_EVENT,
        "id": str(event_id),
        "created": iso_utc(now),
        "brand": {"ref": brand_ref},
        "subscription": msgspec.to_builtins(subscription),
    }
    body = msgspec.json.encode(event)
    async with open_poster(settings) as poster:
        headers = headers_of(f"msg_{event_id.hex}_test", now, body, secrets)
        return await poster.post(subscription.url, headers, body)


async def _brand_of(resources: Resources, subscription_ref: int) -> int:
    async with resources.database.connection() as connection:
        brand_ref = await store.brand_of_subscription(connection, subscription_ref)
    if brand_ref is None:
        raise SubscriptionNotFound
    return brand_ref
