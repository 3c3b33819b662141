"""Subscriptions that are changed or deleted while workers have claimed their deliveries."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import httpx
import pytest

from sitewright.kit import clock
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.classification import Outcome
from tests.support.cast import OWN_BRAND
from tests.support.eventually import eventually
from tests.support.receiver import OK, Arrived, Receiver, Reply
from tests.support.timeouts import HANG_SECONDS
from tests.webhooks.conftest import Receivers, Stage

PATH = "/webhooks/subscription"
CONCURRENCY = 2
CLAIMED_COUNT = "select count(*) from webhook_deliveries where lease_until is not null"


@asynccontextmanager
async def busy_worker(stage: Stage, receiver: Receiver) -> AsyncIterator[asyncio.Event]:
    """It has delivered two, has two in flight, which complete when the event is set, and has claimed some more."""
    may_respond = asyncio.Event()

    async def slowly(_arrived: Arrived) -> Reply:
        if len(receiver.arrived) > CONCURRENCY:
            await may_respond.wait()
        return OK

    receiver.respond = slowly
    for _ in range(20):
        await stage.emit()
    async with stage.worker(webhook_connections_per_destination=CONCURRENCY):
        await eventually(lambda: len(receiver.arrived) == 2 * CONCURRENCY)
        await claimed_are(stage, more_than=CONCURRENCY)
        try:
            yield may_respond
        finally:
            may_respond.set()


async def claimed_are(stage: Stage, count: int | None = None, *, more_than: int = -1) -> None:
    async def are() -> bool:
        found: int = await stage.rows.fetchval(CLAIMED_COUNT)
        return found > more_than and count in (None, found)

    await eventually(are)


async def edit(stage: Stage, subscription: int, url: str, *, active: bool = True) -> None:
    await stage.rows.execute(
        "update webhook_subscriptions set url = $2, active = $3 where ref = $1", subscription, url, active
    )


async def test_after_a_delete_no_delivery_is_started(
    owner: httpx.AsyncClient, stage: Stage, receivers: Receivers
) -> None:
    receiver, other = await receivers(), await receivers()
    subscription = await stage.subscribe(receiver.url)
    async with busy_worker(stage, receiver) as may_respond:
        assert (await owner.delete(f"{PATH}/{subscription}")).status_code == 204
        await stage.subscribe(other.url)
        await stage.emit()
        await eventually(lambda: other.arrived)
        may_respond.set()
        await stage.recorded(1)
    assert len(receiver.arrived) == 2 * CONCURRENCY


async def test_after_deactivation_no_delivery_is_started_and_waiting_ones_are_held(
    stage: Stage, receiver: Receiver
) -> None:
    subscription = await stage.subscribe(receiver.url)
    async with busy_worker(stage, receiver) as may_respond:
        await edit(stage, subscription, receiver.url, active=False)
        await claimed_are(stage, CONCURRENCY)
        may_respond.set()
        await claimed_are(stage, 0)
        assert len(receiver.arrived) == 2 * CONCURRENCY
        await edit(stage, subscription, receiver.url)
        await stage.recorded(20)
    assert len(set(receiver.ids)) == len(receiver.ids) == 20


async def test_waiting_deliveries_go_to_the_new_url(stage: Stage, receivers: Receivers) -> None:
    former, new = await receivers(), await receivers()
    subscription = await stage.subscribe(former.url)
    async with busy_worker(stage, former) as may_respond:
        await stage.rows.execute(
            "update webhook_subscriptions set url = $2, destination = $3 where ref = $1",
            subscription,
            new.url,
            f"{new.host}:{new.port}",
        )
        await eventually(lambda: len(new.arrived) == 20 - 2 * CONCURRENCY)
        may_respond.set()
        await stage.recorded(20)
    assert len(former.arrived) == 2 * CONCURRENCY
    assert len({*former.ids, *new.ids}) == 20


async def test_a_change_without_a_notification_is_noticed_by_polling(stage: Stage, receiver: Receiver) -> None:
    """Prefetched deliveries of a slow receiver are released after a second."""
    subscription = await stage.subscribe(receiver.url)
    trigger = "trigger notify_subscription_changed"
    async with busy_worker(stage, receiver):
        await stage.rows.execute(f"alter table webhook_subscriptions disable {trigger}")
        try:
            await edit(stage, subscription, receiver.url, active=False)
        finally:
            await stage.rows.execute(f"alter table webhook_subscriptions enable {trigger}")
        await claimed_are(stage, CONCURRENCY)
    assert len(receiver.arrived) == 2 * CONCURRENCY


@pytest.mark.parametrize("outcome", ["retrying", "gone"])
async def test_an_attempt_recorded_during_activation_does_not_hold_the_delivery(
    stage: Stage, receiver: Receiver, outcome: Outcome
) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    [claimed] = await claim(stage)
    await edit(stage, subscription, receiver.url, active=False)
    now = clock.now()
    next_attempt = now if outcome == "retrying" else None
    attempt = store.Attempt(claimed, now, outcome, 500, 1, None, None, next_attempt)
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        await tx.execute("update webhook_subscriptions set active = true, updated_at = $1", now)
        async with stage.resources.database.connection() as connection:
            await asyncio.wait_for(store.record(connection, [attempt]), HANG_SECONDS)
    assert await stage.rows.fetchval("select active from webhook_subscriptions")
    if outcome == "retrying":
        async with stage.worker():
            await stage.recorded(2)
        assert await stage.outcomes(subscription) == ["retrying", "delivered"]


async def claim(stage: Stage) -> list[store.Claimed]:
    async with stage.resources.database.connection() as connection:
        now = clock.now()
        return await store.claim(connection, now, now + timedelta(minutes=1), 10, {}, [], 2)
