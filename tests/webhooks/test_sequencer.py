"""The sequencer: killed at any time, it numbers every event once, and webhooks arrive once and in order."""

import asyncio

import asyncpg

from sitewright.events import service as events
from sitewright.kit import clock
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.receiver import Receiver
from tests.support.sequencing import sequence_events
from tests.support.timeouts import HANG_SECONDS
from tests.webhooks.conftest import Stage

EVENTS = 40


async def emit(stage: Stage, mark: int, brand_ref: int = OWN_BRAND) -> None:
    async with stage.resources.database.transaction(brand_ref) as tx:
        await events.emit(tx, "site.publish", {"mark": mark}, clock.now())


async def test_webhooks_arrive_once_and_in_order_although_sequencers_are_killed(
    stage: Stage, receiver: Receiver, database_url: str
) -> None:
    """Each is killed after it has numbered events and added deliveries, and before it commits."""
    await stage.subscribe(receiver.url)
    async with stage.worker(webhook_connections_per_destination=1):
        for mark in range(EVENTS):
            await emit(stage, mark)
            if mark % 5 == 0:
                await _killed_sequencer(stage, database_url)
        await stage.recorded(EVENTS)
    arrived = [each.event for each in receiver.arrived]
    assert [each["sequence"] for each in arrived] == list(range(1, EVENTS + 1))
    assert [each["mark"] for each in arrived] == list(range(EVENTS))


async def _killed_sequencer(stage: Stage, database_url: str) -> None:
    doomed = await asyncpg.connect(database_url)
    transaction = doomed.transaction()
    await transaction.start()
    await sequence_events(doomed)
    await stage.rows.execute("select pg_terminate_backend($1)", doomed.get_server_pid())
    doomed.terminate()


async def test_a_brand_that_is_locked_delays_no_other_and_loses_nothing(stage: Stage) -> None:
    """As when the previous release emits an event, or another sequencer works."""
    await stage.emit(OWN_BRAND)
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        await tx.execute("update event_sequences set last = last")
        await emit(stage, 1)
        await emit(stage, 2, OTHER_BRAND)
        await asyncio.wait_for(sequence_events(stage.rows), HANG_SECONDS)
        rows = await stage.rows.fetch("select brand_ref, sequence from events order by 1, 2")
        assert [tuple(row) for row in rows] == [(OWN_BRAND, 1), (OTHER_BRAND, 1)]
    await sequence_events(stage.rows)
    assert await stage.rows.fetchval("select max(sequence) from events where brand_ref = $1", OWN_BRAND) == 2


async def test_numbers_of_the_previous_release_and_of_the_sequencer_follow_each_other(stage: Stage) -> None:
    """It takes its number from the same row, which stays locked until it commits."""
    previous = (
        "with taken as (insert into event_sequences (brand_ref, last) values (1, 1)"
        " on conflict (brand_ref) do update set last = event_sequences.last + 1 returning last)"
        " insert into events (brand_ref, sequence, id, kind, body, at) select 1, last, gen_random_uuid(),"
        " 'site.publish', json_build_object('sequence', last), now() from taken"
    )
    for mark in range(3):
        await emit(stage, mark)
        await stage.rows.execute(previous)
        await sequence_events(stage.rows)
    rows = await stage.rows.fetch("select sequence, (body ->> 'sequence')::bigint from events order by 1")
    assert [tuple(row) for row in rows] == [(number, number) for number in range(1, 7)]


async def test_the_claim_of_a_previous_worker_numbers_events_first(stage: Stage) -> None:
    """While no worker of this release runs."""
    await stage.subscribe("https://receiver.example/")
    await emit(stage, 1)
    await stage.secret()
    claimed = await stage.rows.fetch(
        "select * from claim_webhook_deliveries(1, now(), 10, 0, '{}', '{}', '{}', '{}', '{}', 4)"
    )
    assert [row["sequence"] for row in claimed] == [1]
