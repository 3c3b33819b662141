"""Workers: how they share the work, and what they owe each other when one goes or loses its way."""

import asyncio
from typing import Any

import asyncpg
import pytest

from sitewright.events.hooks import events_emitted
from sitewright.webhooks.deliveries import courier, store
from sitewright.webhooks.signing import headers_of
from tests.support.eventually import eventually
from tests.support.receiver import OK, Arrived, Receiver, never
from tests.webhooks.conftest import PATIENT, Receivers, Stage


async def test_receivers_that_hang_delay_nobody_else(stage: Stage, receivers: Receivers) -> None:
    hanging = [await receivers() for _ in range(12)]
    prompt = await receivers()
    for each in hanging:
        each.answer = lambda _arrived: never()
        await stage.subscribe(each.url)
    await stage.subscribe(prompt.url)
    for _ in range(30):
        await stage.emit()
    async with stage.worker(webhook_timeout_seconds=3, webhook_connections=64):
        await eventually(lambda: len(prompt.arrived) == 30, within=PATIENT)
        tried = [each.most_at_once for each in hanging]
    assert all(1 <= most <= 2 for most in tried), tried


async def test_one_destination_has_so_many_connections_and_no_more(stage: Stage, receiver: Receiver) -> None:
    async def slowly(_arrived: Arrived) -> bytes:
        await asyncio.sleep(0.02)
        return OK

    receiver.answer = slowly
    for _ in range(3):
        await stage.subscribe(receiver.url)
    for _ in range(40):
        await stage.emit()
    async with stage.worker(webhook_connections_per_destination=4):
        await stage.noted(120)
    assert receiver.most_at_once == 4
    assert len(set(receiver.ids)) == len(receiver.ids) == 120


async def test_several_workers_share_the_work_and_double_none(stage: Stage, receivers: Receivers) -> None:
    several = [await receivers() for _ in range(3)]
    for each in several:
        await stage.subscribe(each.url)
    async with stage.worker(), stage.worker(), stage.worker():
        await asyncio.gather(*(stage.emit() for _ in range(40)))
        await stage.noted(120)
    arrived = [each for receiver in several for each in receiver.ids]
    assert len(set(arrived)) == len(arrived) == 120


async def test_a_worker_told_to_stop_finishes_what_it_has_begun(stage: Stage, receiver: Receiver) -> None:
    may_answer = asyncio.Event()

    async def when_told(_arrived: Arrived) -> bytes:
        await may_answer.wait()
        return OK

    receiver.answer = when_told
    subscription = await stage.subscribe(receiver.url)
    for _ in range(5):
        await stage.emit()
    async with stage.worker():
        await eventually(lambda: receiver.arrived, within=PATIENT)
        asyncio.get_running_loop().call_later(0.2, may_answer.set)
    assert await stage.outcomes(subscription) == ["delivered"] * len(receiver.arrived)
    assert {each["claimed_by"] for each in await stage.deliveries()} == {None}


async def test_an_event_whose_notification_is_lost_arrives_later(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stage.subscribe(receiver.url)
    monkeypatch.setattr(events_emitted, "observers", ())
    async with stage.worker():
        sequence = await stage.emit()
        await stage.rows.execute(
            "insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at)"
            " select brand_ref, ref, $1, now() from webhook_subscriptions",
            sequence,
        )
        await stage.noted(1)
    assert len(receiver.arrived) == 1


async def test_a_worker_that_is_gone_leaves_its_claims_to_others(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    await stage.rows.execute("update webhook_deliveries set claimed_by = 4711")
    async with stage.worker():
        await stage.noted(1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_the_claims_of_a_worker_that_is_there_are_its_own(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    await stage.rows.execute("update webhook_deliveries set claimed_by = 4711")
    await stage.rows.execute("select pg_advisory_lock(1463899721, 4711)")
    try:
        async with stage.worker():
            await stage.emit()
            await stage.noted(1)
    finally:
        await stage.rows.execute("select pg_advisory_unlock(1463899721, 4711)")
    assert [each["sequence"] for each in await stage.attempts(subscription)] == [2]


async def test_a_claim_that_was_not_heard_of_is_made_again(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: Any = store.claim
    lost: list[int] = []

    async def lose_the_first(*arguments: Any) -> list[store.Claimed]:
        claimed: list[store.Claimed] = await heard(*arguments)
        if claimed and not lost:
            lost.append(len(claimed))
            raise asyncpg.ConnectionDoesNotExistError("lost")
        return claimed

    monkeypatch.setattr(store, "claim", lose_the_first)
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.noted(1)
    assert (lost, await stage.outcomes(subscription)) == ([1], ["delivered"])


async def test_a_worker_whose_connections_are_cut_goes_on(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    cut = (
        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
        " where application_name like 'sitewright webhooks%'"
    )
    async with stage.worker():
        await stage.emit()
        await stage.noted(1)
        assert await stage.rows.fetchval(cut) == 1
        await stage.emit()
        await stage.noted(2)
    assert len(set(receiver.ids)) == len(receiver.ids) == 2


async def test_an_error_of_our_own_is_a_failed_attempt_and_keeps_nobody_waiting(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its delivery used to stay claimed for as long as the worker lived, and to keep a place of its lane."""

    def fail_once(*arguments: Any) -> dict[str, str]:
        monkeypatch.setattr(courier, "headers_of", headers_of)
        raise KeyError("personal")

    monkeypatch.setattr(courier, "headers_of", fail_once)
    subscription = await stage.subscribe(receiver.url)
    for _ in range(3):
        await stage.emit()
    async with stage.worker(webhook_connections_per_destination=1):
        await stage.noted(3)
    assert sorted(await stage.outcomes(subscription)) == ["delivered", "delivered", "retrying"]
    errors = {each["error"] for each in await stage.attempts(subscription)}
    assert errors == {None, "could not be sent (KeyError)"}
