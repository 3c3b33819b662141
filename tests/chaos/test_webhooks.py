"""Events are always delivered: workers are killed repeatedly while sites are published and the receiver fails at
random.

A few kills in `make test`, all of them in `make chaos`. Before a worker is killed it is stopped, so that its claimed
deliveries can be read; only these may arrive twice.
"""

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.customers import Customer, make_customer
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.forked import fork_command
from tests.support.receiver import OK, Arrived, Receiver, Reply, open_receiver, reply
from tests.support.service import TWO_OF_EACH, Service, children_of, environment, owner_of, running_service
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

KILLS, PUBLISHES = share(3, 50), share(50, 2000)
PUBLISHERS = 4
WORKERS = 2
"""In addition to the one of `serve`."""
SETTINGS = {
    "webhook_retry_seconds": ",".join(["1"] * 60),
    "webhook_allowed_networks": "127.0.0.0/8",
    "webhook_timeout_seconds": 5,
    "webhook_lease_seconds": 10,
}
LEASES = "select sequence, lease_until from webhook_deliveries where lease_until is not null"
SETTLE_SECONDS = 0.5
"""Longer than the receiver takes to respond."""


class FlakyReceiver:
    """Fails three times in ten, in several ways; records what it accepted."""

    def __init__(self) -> None:
        self.accepted: list[Arrived] = []
        self._random = random.Random(8)  # noqa: S311 - the same sequence every time

    async def respond(self, arrived: Arrived) -> Reply:
        chance = self._random.random()
        if chance < 0.1:
            return reply(500, b"broken")
        if chance < 0.2:
            return None
        if chance < 0.25:
            return reply(503, Retry_After="1")
        if chance < 0.3:
            await asyncio.sleep(0.3)
            return reply(504)
        self.accepted.append(arrived)
        return OK


class Killer:
    def __init__(self, service: Service, others: list[int], rows: OwnerConnection) -> None:
        self._service = service
        self._others = others
        self._rows = rows
        self._turn = 0
        self.claimed: Counter[int] = Counter()
        """How often each event was claimed by a worker that was killed."""

    async def kill_one(self) -> None:
        """Kill the next worker in turn, and count the events that it had claimed."""
        self._turn += 1
        supervisors = [None, *self._others]
        pid = await eventually(lambda: self._listening_worker(supervisors[self._turn % len(supervisors)]))
        os.kill(pid, signal.SIGSTOP)
        await eventually(lambda: _state(pid) == "T")
        self.claimed.update(await self._leases_of_stopped_worker())
        os.kill(pid, signal.SIGKILL)

    async def _leases_of_stopped_worker(self) -> list[int]:
        """Events leased by the stopped worker: the other workers finish theirs, only its leases stay unchanged."""
        held = await self._rows.fetch(LEASES)
        while True:
            await asyncio.sleep(SETTLE_SECONDS)
            unchanged = [row for row in await self._rows.fetch(LEASES) if row in held]
            if len(unchanged) == len(held):
                return [row["sequence"] for row in held]
            held = unchanged

    async def _listening_worker(self, supervisor: int | None) -> int | None:
        """The pid of this supervisor's worker (None: that of `serve`), once it listens for notifications."""
        pids = self._service.pids("worker")[-1:] if supervisor is None else list(children_of(supervisor))
        for pid in pids:
            listens = "select exists (select from pg_stat_activity where application_name = $1)"
            if await self._rows.fetchval(listens, f"sitewright webhooks {pid}"):
                return pid
        return None


def _state(pid: int) -> str:
    return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]


@asynccontextmanager
async def running_worker(service: Service) -> AsyncIterator[int]:
    """Run `sitewright worker` during this context; yields the pid of its supervisor."""
    with service.log.with_suffix(".workers.log").open("ab") as log:
        process = await fork_command("worker", env=environment(service.data_dir, **service.settings), output=log)
    try:
        yield process.pid
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait_for(process.wait(), HANG_SECONDS)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with running_service(tmp_path / "var", **TWO_OF_EACH, **SETTINGS) as running:
        yield running


@pytest.fixture
async def rows(service: Service) -> AsyncIterator[OwnerConnection]:
    async with owner_of(service) as connection:
        yield connection


async def test_every_event_arrives_and_only_those_of_killed_workers_arrive_twice(
    service: Service, rows: OwnerConnection
) -> None:
    flaky = FlakyReceiver()
    async with AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(open_receiver())
        receiver.respond = flaky.respond
        client = await stack.enter_async_context(service.client())
        customers = await _subscribe_and_make_customers(service, client, receiver)
        others = [await stack.enter_async_context(running_worker(service)) for _ in range(WORKERS)]
        killer = Killer(service, others, rows)
        for number in range(KILLS):
            count = PUBLISHES // KILLS + (number < PUBLISHES % KILLS)
            await _concurrently([_publish(customers, count), killer.kill_one()])
        await eventually(lambda: _all_delivered(rows))
    await _check_deliveries(service, flaky, killer, rows)


async def _subscribe_and_make_customers(
    service: Service, client: httpx.AsyncClient, receiver: Receiver
) -> list[Customer]:
    wanted = {"event": "site.publish", "url": receiver.url, "active": True}
    assert (await client.post("/webhooks/subscription", json=wanted)).status_code == 201
    pro = service.demo["brands"][0]["packages"]["pro"]
    return [await make_customer(client, 1, f"chaos-{number}.example", package_ref=pro) for number in range(PUBLISHERS)]


async def _publish(customers: list[Customer], count: int) -> None:
    left = iter(range(count))

    async def publish_repeatedly(customer: Customer) -> None:
        for _ in left:
            await customer.publish()

    await _concurrently([publish_repeatedly(customer) for customer in customers])


async def _concurrently(work: list[Awaitable[None]]) -> None:
    await asyncio.gather(*work)


async def _all_delivered(rows: OwnerConnection) -> bool:
    delivered = await rows.fetchval("select count(*) from webhook_deliveries where delivered_at is not null")
    return bool(delivered == PUBLISHES)


async def _check_deliveries(service: Service, flaky: FlakyReceiver, killer: Killer, rows: OwnerConnection) -> None:
    secret = service.demo["brands"][0]["webhookSecret"]
    delivered: list[Any] = [each.verified(secret) for each in flaky.accepted]
    arrivals = Counter(each["sequence"] for each in delivered)
    published = await rows.fetch("select sequence from events where brand_ref = 1 and kind = 'site.publish'")
    assert len(published) == PUBLISHES
    assert set(arrivals) == {row["sequence"] for row in published}  # certificates have events between
    too_often = {each: count for each, count in arrivals.items() if count > 1 + killer.claimed[each]}
    assert too_often == {}
    assert len({(each.webhook_id, each.body) for each in flaky.accepted}) == PUBLISHES
