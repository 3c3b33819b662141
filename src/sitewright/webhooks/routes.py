from typing import Any

from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.auth.rights import Right
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import Window, set_links
from sitewright.kit.problems import FieldErrors
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.webhooks import service
from sitewright.webhooks.errors import (
    AttemptNotFound,
    SubscriptionInactive,
    SubscriptionLimitReached,
    SubscriptionNotFound,
)
from sitewright.webhooks.schemas import (
    AttemptFilter,
    Attempts,
    Replay,
    Subscription,
    SubscriptionRequest,
    Subscriptions,
)

ALL = "/webhooks/subscription"
ONE = ALL + "/{subscription_id:int}"


@endpoint("GET", ALL, roles=NOT_RESELLERS, errors=(BrandNotFound,))
async def list_subscriptions(call: Call) -> Subscriptions:
    """The brand's webhook subscriptions, also those that are not active."""
    await brands.require_brand(call.tx)
    return Subscriptions(await service.list_subscriptions(call.tx))


@endpoint(
    "POST",
    ALL,
    roles=NOT_RESELLERS,
    status=201,
    body=SubscriptionRequest,
    errors=(BrandNotFound, SubscriptionLimitReached),
)
async def create_subscription(call: Call) -> Subscription:
    """Subscribe to an event: from then on each one is posted to the URL, signed with the brand's secret.

    Deliveries follow Standard Webhooks. Without a 2xx response in time a delivery is retried, for days.
    """
    await brands.require_brand(call.tx)
    requested = await _read_request(call)
    return await service.create_subscription(call.tx, call.resources.sealer, call.caller, _brand_ref(call), requested)


@endpoint("GET", ONE, roles=NOT_RESELLERS, errors=(SubscriptionNotFound,))
async def get_subscription(call: Call, subscription_id: int) -> Subscription:
    """One webhook subscription."""
    return await service.find_subscription(call.tx, subscription_id)


@endpoint("PUT", ONE, roles=NOT_RESELLERS, body=SubscriptionRequest, errors=(SubscriptionNotFound,))
async def edit_subscription(call: Call, subscription_id: int) -> Subscription:
    """Change a webhook subscription. Its waiting deliveries are held while it is not active, and go to its new URL.

    Deliveries in flight are finished with the former values.
    """
    subscription = await service.find_subscription(call.tx, subscription_id, lock=True)
    return await service.edit_subscription(call.tx, call.caller, subscription, await _read_request(call))


@endpoint("DELETE", ONE, roles=NOT_RESELLERS, status=204, errors=(SubscriptionNotFound,))
async def delete_subscription(call: Call, subscription_id: int) -> None:
    """Delete a webhook subscription, with its waiting deliveries and its recorded attempts.

    Deliveries in flight may still arrive.
    """
    subscription = await service.find_subscription(call.tx, subscription_id, lock=True)
    await service.delete_subscription(call.tx, call.caller, subscription)


@endpoint(
    "GET",
    ONE + "/attempts",
    roles=NOT_RESELLERS,
    query=AttemptFilter,
    list_field="attempts",
    errors=(SubscriptionNotFound,),
)
async def list_attempts(call: Call, subscription_id: int) -> Attempts:
    """The attempts to deliver to a subscription, of the last 30 days, page by page."""
    subscription = await service.find_subscription(call.tx, subscription_id)
    query = call.query(AttemptFilter)
    window = Window(limit=query.limit, offset=query.offset, after=query.after, before=query.before)
    zone = (await brands.settings_of_brand(call.tx)).time_zone
    attempts, page = await service.list_attempts(call.tx, subscription, window, zone)
    set_links(call, window, page)
    return Attempts(attempts)


@endpoint(
    "POST",
    ONE + "/attempts/{attempt_id:int}/replay",
    right=Right.SUPPORT,
    roles=NOT_RESELLERS,
    status=202,
    errors=(SubscriptionNotFound, AttemptNotFound, SubscriptionInactive),
)
async def replay_attempt(call: Call, subscription_id: int, attempt_id: int) -> Replay:
    """Deliver the event of an attempt again: the same body with the same `webhook-id`."""
    subscription = await service.find_subscription(call.tx, subscription_id, lock=True)
    return await service.replay_attempt(call.tx, call.caller, subscription, attempt_id)


endpoints = [
    list_subscriptions,
    create_subscription,
    get_subscription,
    edit_subscription,
    delete_subscription,
    list_attempts,
    replay_attempt,
]


async def _read_request(call: Call) -> SubscriptionRequest:
    async def check(read: dict[str, Any]) -> FieldErrors:
        return service.check_subscription(call.resources.settings, read)

    return await call.checked_body(SubscriptionRequest, check)


def _brand_ref(call: Call) -> int:
    assert call.brand_ref is not None  # noqa: S101 - the endpoint needs a brand
    return call.brand_ref
