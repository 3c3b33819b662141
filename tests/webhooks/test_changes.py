"""A subscription that changes, or goes, while workers have its deliveries in hand."""

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
from tests.webhooks.conftest import PATIENT, Receivers, Stage

PATH = "/webhooks/subscription"
WIDTH = 2
IN_HAND = "select count(*) from webhook_deliveries where lease_until is not null"


@asynccontextmanager
async def busy_worker(stage: Stage, receiver: Receiver) -> AsyncIterator[asyncio.Event]:
    """It has delivered two, has two on the wire, which are answered when the event is set, and some more in hand."""
    may_answer = asyncio.Event()

    async def slowly(_arrived: Arrived) -> Reply:
        if len(receiver.arrived) > WIDTH:
            await may_answer.wait()
        return OK

    receiver.answer = slowly
    for _ in range(20):
        await stage.emit()
    async with stage.worker(webhook_connections_per_destination=WIDTH):
        await eventually(lambda: len(receiver.arrived) == 2 * WIDTH, within=PATIENT)
        await in_hand(stage, more_than=WIDTH)
        try:
            yield may_answer
        finally:
            may_answer.set()


async def in_hand(stage: Stage, count: int | None = None, *, more_than: int = -1) -> None:
    async def are() -> bool:
        found: int = await stage.rows.fetchval(IN_HAND)
        return found > more_than and count in (None, found)

    await eventually(are, within=PATIENT)


async def edit(stage: Stage, subscription: int, url: str, *, active: bool = True) -> None:
    await stage.rows.execute(
        "update webhook_subscriptions set url = $2, active = $3 where ref = $1", subscription, url, active
    )


async def test_after_a_delete_nothing_more_is_begun(
    owner: httpx.AsyncClient, stage: Stage, receivers: Receivers
) -> None:
    receiver, other = await receivers(), await receivers()
    subscription = await stage.subscribe(receiver.url)
    async with busy_worker(stage, receiver) as may_answer:
        assert (await owner.delete(f"{PATH}/{subscription}")).status_code == 204
        await stage.subscribe(other.url)
        await stage.emit()
        await eventually(lambda: other.arrived, within=PATIENT)
        may_answer.set()
        await stage.noted(1)
    assert len(receiver.arrived) == 2 * WIDTH


async def test_once_inactive_nothing_more_is_begun_and_what_waits_is_held(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    async with busy_worker(stage, receiver) as may_answer:
        await edit(stage, subscription, receiver.url, active=False)
        await in_hand(stage, WIDTH)
        may_answer.set()
        await in_hand(stage, 0)
        assert len(receiver.arrived) == 2 * WIDTH
        await edit(stage, subscription, receiver.url)
        await stage.noted(20)
    assert len(set(receiver.ids)) == len(receiver.ids) == 20


async def test_what_waits_goes_to_the_new_url(stage: Stage, receivers: Receivers) -> None:
    former, new = await receivers(), await receivers()
    subscription = await stage.subscribe(former.url)
    async with busy_worker(stage, former) as may_answer:
        await stage.rows.execute(
            "update webhook_subscriptions set url = $2, destination = $3 where ref = $1",
            subscription,
            new.url,
            f"{new.host}:{new.port}",
        )
        await eventually(lambda: len(new.arrived) == 20 - 2 * WIDTH, within=PATIENT)
        may_answer.set()
        await stage.noted(20)
    assert len(former.arrived) == 2 * WIDTH
    assert len({*former.ids, *new.ids}) == 20


async def test_a_change_that_is_not_told_is_noticed_soon(stage: Stage, receiver: Receiver) -> None:
    """What a slow receiver keeps waiting is not hoarded."""
    subscription = await stage.subscribe(receiver.url)
    trigger = "trigger tell_webhook_workers_of_changes"
    async with busy_worker(stage, receiver):
        await stage.rows.execute(f"alter table webhook_subscriptions disable {trigger}")
        try:
            await edit(stage, subscription, receiver.url, active=False)
        finally:
            await stage.rows.execute(f"alter table webhook_subscriptions enable {trigger}")
        await in_hand(stage, WIDTH)
    assert len(receiver.arrived) == 2 * WIDTH


@pytest.mark.parametrize("outcome", ["retrying", "gone"])
async def test_nothing_is_held_for_ever_by_an_attempt_noted_while_the_subscription_turns_active(
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
            await asyncio.wait_for(store.record(connection, [attempt]), PATIENT)
    assert await stage.rows.fetchval("select active from webhook_subscriptions")
    if outcome == "retrying":
        async with stage.worker():
            await stage.noted(2)
        assert await stage.outcomes(subscription) == ["retrying", "delivered"]


async def claim(stage: Stage) -> list[store.Claimed]:
    async with stage.resources.database.connection() as connection:
        now = clock.now()
        return await store.claim(connection, now, now + timedelta(minutes=1), 10, {}, [], 2)
