"""The outbox: brands take turns, leases end, failures are retried and become dead letters. Mails serve as the work."""

import asyncio
import sys
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from sitewright.kit import clock
from sitewright.kit.mail import store
from sitewright.kit.metrics import JobCounts
from sitewright.kit.outbox import JITTER, Claimed, DeadLetter
from sitewright.kit.outbox import store as outbox_store
from sitewright.kit.outbox.loop import Batch, OutboxLoop, each
from sitewright.kit.outbox.outcomes import Outcomes
from sitewright.kit.resources import Resources
from tests.support.eventually import eventually
from tests.support.probe_outbox import DELAYS, LEASE, probe_outbox
from tests.support.users import OwnerConnection

PUT = """
insert into mails (brand_ref, kind, created_at, next_attempt_at, is_awaited)
select $1, 'renewed', $2, $2, $4 from generate_series(1, $3)
"""


class Work:
    """Items of any brand, and claims as a worker makes them."""

    def __init__(self, resources: Resources, owner: OwnerConnection) -> None:
        self.resources = resources
        self._owner = owner

    async def put(self, count: int = 1, brand_ref: int = 1, *, awaited: bool = False) -> None:
        await self._owner.execute(PUT, brand_ref, clock.now(), count, awaited)

    async def claim(self, most: int) -> list[Claimed]:
        async with self.resources.database.connection() as connection:
            return await store.claim(connection, clock.now(), clock.now() + LEASE, most)

    async def rows(self) -> list[dict[str, Any]]:
        return [dict(row) for row in await self._owner.fetch("select * from mails order by ref")]

    async def row(self) -> dict[str, Any]:
        [row] = await self.rows()
        return row


@pytest.fixture
def work(resources: Resources, owner_connection: OwnerConnection, clean: None) -> Work:
    return Work(resources, owner_connection)


def of_brands(items: list[Claimed]) -> Counter[int]:
    return Counter(item.brand_ref for item in items)


# --- Claims ------------------------------------------------------------------------------------------------------


async def test_brands_share_a_claim_evenly(work: Work) -> None:
    await work.put(300, brand_ref=1)
    await work.put(300, brand_ref=2)
    assert of_brands(await work.claim(100)) == {1: 50, 2: 50}


async def test_a_brand_with_little_work_does_not_wait_behind_anothers_backlog(work: Work) -> None:
    await work.put(300, brand_ref=1)
    await work.put(2, brand_ref=2)
    assert of_brands(await work.claim(100)) == {1: 50, 2: 2}
    assert of_brands(await work.claim(100)) == {1: 100}


async def test_a_brand_whose_work_is_not_due_takes_no_share(work: Work, owner_connection: OwnerConnection) -> None:
    await work.put(100, brand_ref=2)
    await owner_connection.execute("update mails set next_attempt_at = $1", clock.now() + timedelta(hours=1))
    await work.put(100, brand_ref=1)
    assert of_brands(await work.claim(100)) == {1: 100}


async def test_no_brand_is_always_first(work: Work) -> None:
    await work.put(30, brand_ref=1)
    await work.put(30, brand_ref=2)
    first = [(await work.claim(1))[0].brand_ref for _ in range(30)]
    assert set(first) == {1, 2}


async def test_awaited_work_of_a_brand_goes_before_its_other_work(work: Work) -> None:
    await work.put(20)
    await work.put(3, awaited=True)
    rows = {row["ref"]: row["is_awaited"] for row in await work.rows()}
    assert [rows[item.ref] for item in await work.claim(5)] == [True, True, True, False, False]


async def test_two_workers_never_hold_the_same_item(work: Work) -> None:
    await work.put(200, brand_ref=1)
    await work.put(200, brand_ref=2)
    claims = await asyncio.gather(*(work.claim(30) for _ in range(8)))
    held = [(item.brand_ref, item.ref) for claim in claims for item in claim]
    assert len(set(held)) == len(held) > 100


async def test_a_killed_workers_items_are_claimed_when_their_lease_ends(work: Work, database_url: str) -> None:
    await work.put(3)
    data_dir = work.resources.settings.data_dir
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.probe_outbox", database_url, data_dir, stdout=asyncio.subprocess.PIPE
    )
    assert worker.stdout is not None
    assert await worker.stdout.readline() == b"claimed\n"
    worker.kill()
    await worker.wait()
    assert await work.claim(10) == []
    clock.shift(LEASE.total_seconds() + 5)
    assert [item.attempts for item in await work.claim(10)] == [2, 2, 2]


# --- Outcomes ----------------------------------------------------------------------------------------------------


async def fail(_resources: Resources, _item: Claimed) -> None:
    raise ValueError("Ann's address")


async def test_a_failure_is_retried_with_a_growing_back_off_and_ends_as_a_dead_letter(work: Work) -> None:
    await work.put()
    loop, passed = OutboxLoop(probe_outbox(), each(fail)), 0.0
    for number, delay in enumerate(DELAYS, start=1):
        await loop.run_once(work.resources)
        row = await work.row()
        assert (row["attempts"], row["failed_at"]) == (number, None)
        wait = row["next_attempt_at"] - clock.now()
        assert delay * (1 - JITTER) - timedelta(seconds=5) < wait <= delay * (1 + JITTER)
        passed += delay.total_seconds() * 1.2
        clock.shift(passed)
    await loop.run_once(work.resources)
    row = await work.row()
    assert (row["attempts"], row["failed_at"] is not None) == (3, True)
    assert row["last_error"].startswith("ValueError in ")
    assert "Ann" not in row["last_error"]


async def test_a_handler_can_fail_permanently(work: Work) -> None:
    async def refuse(_resources: Resources, _item: Claimed) -> None:
        raise DeadLetter("the address is unusable")

    await work.put()
    await OutboxLoop(probe_outbox(), each(refuse)).run_once(work.resources)
    row = await work.row()
    assert (row["failed_at"] is not None, row["last_error"]) == (True, "the address is unusable")


async def test_finished_work_is_not_claimed_again(work: Work) -> None:
    done: list[int] = []

    async def do(_resources: Resources, item: Claimed) -> None:
        done.append(item.ref)

    await work.put(25, brand_ref=1)
    await work.put(25, brand_ref=2)
    loop = OutboxLoop(probe_outbox(concurrency=lambda _settings: 4), each(do))
    await asyncio.gather(loop.run_once(work.resources), loop.run_once(work.resources))
    await loop.run_once(work.resources)
    assert sorted(done) == [row["ref"] for row in await work.rows()]
    assert all(row["sent_at"] is not None for row in await work.rows())


async def test_a_worker_that_lost_the_lease_records_nothing(work: Work) -> None:
    await work.put()
    [late] = await work.claim(1)
    clock.shift(LEASE.total_seconds() + 1)
    [holder] = await work.claim(1)
    outcomes = Outcomes(work.resources, probe_outbox())
    await outcomes.retry([late], "too late")
    await outcomes.release([late])
    row = await work.row()
    assert (row["next_attempt_at"], row["last_error"], row["attempts"]) == (holder.lease_until, None, 2)


READ_ROWS = """
select (seq_tup_read + idx_tup_fetch)::integer from pg_stat_xact_user_tables where relname = 'mails'
"""


async def test_a_few_items_are_handled_without_reading_a_backlog(work: Work) -> None:
    """No statistics know the backlog yet, and the statements were planned when there was none."""
    await work.put(20)
    for item in await work.claim(20):
        await Outcomes(work.resources, probe_outbox()).done([item])
    await work.put(20_000)
    async with work.resources.database.transaction(1) as tx:
        before = await tx.fetchval(READ_ROWS)
        items = await store.claim(tx, clock.now(), clock.now() + LEASE, 100)
        assert await tx.fetchval(READ_ROWS) - before <= 500
        await outbox_store.complete(tx, store.TABLE, items[:50], clock.now())
        await outbox_store.retry(tx, store.TABLE, items[50:], [clock.now()] * 50, "try later")
        assert await tx.fetchval(READ_ROWS) - before <= 1000


async def test_a_lease_is_extended_while_the_handler_runs(work: Work) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_resources: Resources, _item: Claimed) -> None:
        begun.set()
        await go_on.wait()

    await work.put()
    stopping = asyncio.Event()
    loop = OutboxLoop(probe_outbox(lease=timedelta(seconds=1), drain_seconds=10), each(slow))
    running = asyncio.create_task(loop.run(work.resources, stopping))
    await begun.wait()
    first = (await work.row())["next_attempt_at"]

    async def is_extended_twice() -> bool:
        return bool((await work.row())["next_attempt_at"] - first >= timedelta(seconds=0.6))

    await eventually(is_extended_twice)
    go_on.set()
    stopping.set()
    await running
    row = await work.row()
    assert (row["attempts"], row["sent_at"] is not None) == (1, True)


async def test_a_worker_that_stops_releases_what_it_does_not_finish(work: Work) -> None:
    begun = asyncio.Event()

    async def hang(_batch: Batch) -> bool:
        begun.set()
        return await asyncio.Event().wait()

    await work.put(3)
    stopping = asyncio.Event()
    running = asyncio.create_task(OutboxLoop(probe_outbox(batch=10), hang).run(work.resources, stopping))
    await begun.wait()
    assert await work.claim(10) == []
    stopping.set()
    await running
    assert [row["attempts"] for row in await work.rows()] == [0, 0, 0]
    assert len(await work.claim(10)) == 3


async def test_a_running_loop_finds_new_work(work: Work) -> None:
    done: list[int] = []

    async def do(_resources: Resources, item: Claimed) -> None:
        done.append(item.ref)

    stopping = asyncio.Event()
    running = asyncio.create_task(OutboxLoop(probe_outbox(), each(do)).run(work.resources, stopping))
    await work.put(2)
    await eventually(lambda: len(done) == 2)
    stopping.set()
    await running


async def test_a_running_loop_counts_outcomes_from_zero(work: Work) -> None:
    """Otherwise the first dead letter would be a new series for Prometheus, and not an increase."""
    stopping = asyncio.Event()
    stopping.set()
    await OutboxLoop(probe_outbox(name="idle"), each(never)).run(work.resources, stopping)
    text = work.resources.metrics.exposition(JobCounts(0, 0, 0)).decode()
    for outcome in ("done", "retried", "dead"):
        assert f'sitewright_outbox_items_total{{outbox="idle",outcome="{outcome}"}} 0.0' in text


async def never(_resources: Resources, _item: Claimed) -> None:
    raise AssertionError
