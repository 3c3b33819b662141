"""No receiver delays the deliveries of others, even on the same host."""

import socket
import threading
from typing import Any
from uuid import UUID

import pytest

from sitewright.kit import clock
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.queues import PREFETCH_FACTOR, Queues
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.eventually import eventually
from tests.support.receiver import OK, HeldResponses, Receiver
from tests.support.timeouts import HANG_SECONDS
from tests.webhooks.conftest import LONG_TIMEOUT, Receivers, Stage


async def test_a_brand_whose_receiver_hangs_does_not_delay_another_brand_on_the_same_host(
    stage: Stage, receiver: Receiver
) -> None:
    held = HeldResponses()
    receiver.respond = lambda arrived: OK if arrived.path == "/prompt" else held.respond(arrived)
    base = receiver.url.removesuffix("/hook")
    for number in range(20):
        await stage.subscribe(f"{base}/slow{number}")
    await stage.subscribe(f"{base}/prompt", OTHER_BRAND)
    await stage.emit()
    async with stage.worker(**LONG_TIMEOUT):
        await eventually(lambda: receiver.at_once == 2)
        for _ in range(10):
            await stage.emit(OTHER_BRAND)
        await eventually(lambda: prompt_ones(receiver) == 10)
        assert len(receiver.arrived) - 10 < 20
        held.release()


def prompt_ones(receiver: Receiver) -> int:
    return sum(1 for each in receiver.arrived if each.path == "/prompt")


async def test_a_brand_whose_many_receivers_hang_leaves_connections_to_others(
    stage: Stage, receivers: Receivers
) -> None:
    hanging, held = [await receivers() for _ in range(12)], HeldResponses()
    prompt = await receivers()
    for each in hanging:
        each.respond = held.respond
        await stage.subscribe(each.url)
    await stage.subscribe(prompt.url, OTHER_BRAND)
    for _ in range(3):
        await stage.emit()
    async with stage.worker(webhook_connections=8, **LONG_TIMEOUT):
        await eventually(lambda: sum(each.at_once for each in hanging) == 4)
        for _ in range(10):
            await stage.emit(OTHER_BRAND)
        await eventually(lambda: len(prompt.arrived) == 10)
        assert sum(len(each.arrived) for each in hanging) < 36
        held.release()


async def test_silent_name_servers_of_one_brand_do_not_delay_another(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up, silent, responds = socket.getaddrinfo, set[str](), threading.Event()

    def look_up_or_wait(host: str, *arguments: Any) -> Any:
        if host.startswith("silent"):
            silent.add(host)
            responds.wait(HANG_SECONDS)
            raise socket.gaierror
        return look_up("127.0.0.1" if host == "prompt.example" else host, *arguments)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_or_wait)
    for number in range(100):
        await stage.subscribe(f"http://silent{number}.example/")
    await stage.subscribe(receiver.url.replace("127.0.0.1", "prompt.example"), OTHER_BRAND)
    await stage.emit()
    async with stage.worker(**LONG_TIMEOUT):
        try:
            await eventually(lambda: len(silent) >= 64)
            await stage.emit(OTHER_BRAND)
            await eventually(lambda: len(receiver.arrived) == 1)
        finally:
            responds.set()


async def test_busy_subscriptions_do_not_starve_others(stage: Stage, receivers: Receivers) -> None:
    """The subscription whose deliveries are due first is served next."""
    failing, busy = await receivers(), await receivers()
    failing.respond = lambda _arrived: None
    base = failing.url.removesuffix("/hook")
    for number in range(5):
        await stage.subscribe(f"{base}/{number}")
    for _ in range(5):
        await stage.emit()
    await stage.subscribe(busy.url)
    async with stage.worker(webhook_connections_per_destination=1):

        async def all_were_tried() -> bool:
            await stage.emit()
            return len({each.path for each in failing.arrived}) == 5

        await eventually(all_were_tried)
        first = [each.path for each in failing.arrived[:5]]
    assert first == ["/0", "/1", "/2", "/3", "/4"]


def claimed(brand_ref: int, sequence: int) -> store.Claimed:
    url, destination, now = "http://x.example/", "x.example:80", clock.now()
    return store.Claimed(brand_ref, brand_ref, sequence, 0, now, url, destination, 20, UUID(int=0), "{}", [], now)


def test_brands_share_the_connections_of_a_destination() -> None:
    queues = Queues(4)
    [own] = queues.take([claimed(OWN_BRAND, number) for number in range(20)])
    own.concurrency = 4
    in_flight = [own.begin() for _ in range(9)]
    assert [each is not None for each in in_flight] == [True] * 4 + [False] * 5
    [other] = queues.take([claimed(OTHER_BRAND, number) for number in range(20)])
    other.concurrency = 4
    assert other.begin() is not None, "every brand always gets one connection"
    assert other.begin() is None
    for _ in range(3):
        own.end(succeeded=True)
    assert own.begin() is not None
    assert other.begin() is not None
    assert (own.begin(), other.begin()) == (None, None)
    assert (own.in_flight, other.in_flight) == (2, 2)


def test_only_a_queue_at_its_maximum_concurrency_prefetches() -> None:
    queues = Queues(4)
    [queue] = queues.take([claimed(OWN_BRAND, 1)])
    assert queue.capacity == 1
    for _ in range(2):
        queue.begin()
        queue.end(succeeded=True)
        queue.add(claimed(OWN_BRAND, 2))
    assert queue.capacity == 4 * PREFETCH_FACTOR - queue.held
