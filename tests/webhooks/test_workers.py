"""Workers: sharing of deliveries, leases, and recovery after failures."""

import asyncio
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from sitewright.kit import clock
from sitewright.webhooks.deliveries import dispatcher, store
from sitewright.webhooks.signing import headers_of
from tests.support.eventually import eventually
from tests.support.receiver import OK, Arrived, HeldResponses, Receiver
from tests.webhooks.conftest import LONG_TIMEOUT, Receivers, Stage


async def test_hanging_receivers_do_not_delay_others(stage: Stage, receivers: Receivers) -> None:
    hanging, held = [await receivers() for _ in range(12)], HeldResponses()
    prompt = await receivers()
    for each in hanging:
        each.respond = held.respond
        await stage.subscribe(each.url)
    await stage.subscribe(prompt.url)
    for _ in range(30):
        await stage.emit()
    async with stage.worker(webhook_connections=64, **LONG_TIMEOUT):
        await eventually(lambda: len(prompt.arrived) == 30)
        tried = [each.most_at_once for each in hanging]
        held.release()
    assert all(1 <= most <= 2 for most in tried), tried


async def test_connections_per_destination_are_limited(stage: Stage, receiver: Receiver) -> None:
    async def slowly(_arrived: Arrived) -> bytes:
        await asyncio.sleep(0.02)
        return OK

    receiver.respond = slowly
    for _ in range(3):
        await stage.subscribe(receiver.url)
    for _ in range(40):
        await stage.emit()
    async with stage.worker(webhook_connections_per_destination=4):
        await stage.recorded(120)
    assert receiver.most_at_once == 4
    assert len(set(receiver.ids)) == len(receiver.ids) == 120


async def test_several_workers_deliver_each_event_once(stage: Stage, receivers: Receivers) -> None:
    several = [await receivers() for _ in range(3)]
    for each in several:
        await stage.subscribe(each.url)
    async with stage.worker(), stage.worker(), stage.worker():
        await asyncio.gather(*(stage.emit() for _ in range(40)))
        await stage.recorded(120)
    arrived = [each for receiver in several for each in receiver.ids]
    assert len(set(arrived)) == len(arrived) == 120


async def test_a_stopping_worker_finishes_deliveries_in_flight(stage: Stage, receiver: Receiver) -> None:
    may_respond = asyncio.Event()

    async def when_allowed(_arrived: Arrived) -> bytes:
        await may_respond.wait()
        return OK

    receiver.respond = when_allowed
    subscription = await stage.subscribe(receiver.url)
    for _ in range(5):
        await stage.emit()
    async with stage.worker():
        await eventually(lambda: receiver.arrived)
        asyncio.get_running_loop().call_later(0.2, may_respond.set)
    assert await stage.outcomes(subscription) == ["delivered"] * len(receiver.arrived)
    assert {each["lease_until"] for each in await stage.deliveries()} == {None}


async def test_polling_finds_an_event_whose_notification_was_lost(stage: Stage, receiver: Receiver) -> None:
    async with stage.worker():
        sequence = await stage.emit()
        await stage.subscribe(receiver.url)
        await stage.rows.execute(
            "insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at)"
            " select brand_ref, ref, $1, now() from webhook_subscriptions",
            sequence,
        )
        await stage.recorded(1)
    assert len(receiver.arrived) == 1


LEASED = "update webhook_deliveries set due_at = $1, lease_until = $1"


async def test_a_killed_workers_deliveries_are_claimed_when_their_lease_ends(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    await stage.rows.execute(LEASED, clock.now() + timedelta(seconds=1))
    async with stage.worker():
        await stage.recorded(1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_a_lease_that_has_not_ended_is_respected(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    await stage.rows.execute(LEASED, clock.now() + timedelta(minutes=1))
    async with stage.worker():
        await stage.emit()
        await stage.recorded(1)
    assert [each["sequence"] for each in await stage.attempts(subscription)] == [2]


async def test_an_attempt_whose_lease_was_lost_is_not_recorded(stage: Stage, receiver: Receiver) -> None:
    async def lose_the_lease(_arrived: Arrived) -> bytes:
        await stage.rows.execute(LEASED, clock.now() + timedelta(minutes=1))
        return OK

    receiver.respond = lose_the_lease
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await eventually(lambda: receiver.arrived)
    assert await stage.outcomes(subscription) == []
    [delivery] = await stage.deliveries()
    assert (delivery["delivered_at"], delivery["lease_until"]) == (None, delivery["due_at"])


async def test_a_claim_whose_response_was_lost_is_made_again_after_the_lease(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim: Any = store.claim
    lost: list[int] = []

    async def lose_the_first(*arguments: Any) -> list[store.Claimed]:
        claimed: list[store.Claimed] = await claim(*arguments)
        if claimed and not lost:
            lost.append(len(claimed))
            raise asyncpg.ConnectionDoesNotExistError("lost")
        return claimed

    monkeypatch.setattr(store, "claim", lose_the_first)
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_lease_seconds=1):
        await stage.recorded(1)
    assert (lost, await stage.outcomes(subscription)) == ([1], ["delivered"])


async def test_claims_of_a_dead_worker_of_the_previous_release_are_freed(stage: Stage, receiver: Receiver) -> None:
    """It claimed under a number; a worker of that release that is alive holds an advisory lock under it."""
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    await stage.rows.execute("update webhook_deliveries set claimed_by = 4711")
    async with stage.worker():
        await stage.recorded(1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_a_worker_reconnects_to_the_database(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    cut = (
        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
        " where application_name like 'sitewright webhooks%'"
    )
    async with stage.worker():
        await stage.emit()
        await stage.recorded(1)
        assert await stage.rows.fetchval(cut) == 1
        await stage.emit()
        await stage.recorded(2)
    assert len(set(receiver.ids)) == len(receiver.ids) == 2


async def test_an_internal_error_is_a_failed_attempt_and_does_not_block_the_queue(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: its delivery stayed claimed until the worker ended, and blocked its queue."""

    def fail_once(*arguments: Any) -> dict[str, str]:
        monkeypatch.setattr(dispatcher, "headers_of", headers_of)
        raise KeyError("personal")

    monkeypatch.setattr(dispatcher, "headers_of", fail_once)
    subscription = await stage.subscribe(receiver.url)
    for _ in range(3):
        await stage.emit()
    async with stage.worker(webhook_connections_per_destination=1):
        await stage.recorded(3)
    assert sorted(await stage.outcomes(subscription)) == ["delivered", "delivered", "retrying"]
    errors = {each["error"] for each in await stage.attempts(subscription)}
    assert errors == {None, "could not be sent (KeyError)"}
