"""Nobody's receiver delays the deliveries of others, be it on the same host."""

from uuid import UUID

from sitewright.kit import clock
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.queues import AHEAD, Queues
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.eventually import eventually
from tests.support.receiver import OK, Arrived, Receiver, Reply, never
from tests.webhooks.conftest import PATIENT, Receivers, Stage


async def hang_unless_prompt(arrived: Arrived) -> Reply:
    return OK if arrived.path == "/prompt" else await never()


async def test_a_brand_whose_receiver_hangs_does_not_delay_another_brand_on_the_same_host(
    stage: Stage, receiver: Receiver
) -> None:
    receiver.answer = hang_unless_prompt
    base = receiver.url.removesuffix("/hook")
    for number in range(20):
        await stage.subscribe(f"{base}/slow{number}")
    await stage.subscribe(f"{base}/prompt", OTHER_BRAND)
    await stage.emit()
    async with stage.worker(webhook_timeout_seconds=3):
        await eventually(lambda: receiver.at_once == 2, within=PATIENT)
        for _ in range(10):
            await stage.emit(OTHER_BRAND)
        await eventually(lambda: prompt_ones(receiver) == 10, within=PATIENT)
        assert len(receiver.arrived) - 10 < 20


def prompt_ones(receiver: Receiver) -> int:
    return sum(1 for each in receiver.arrived if each.path == "/prompt")


async def test_a_brand_whose_many_receivers_hang_leaves_connections_to_others(
    stage: Stage, receivers: Receivers
) -> None:
    hanging = [await receivers() for _ in range(12)]
    prompt = await receivers()
    for each in hanging:
        each.answer = lambda _arrived: never()
        await stage.subscribe(each.url)
    await stage.subscribe(prompt.url, OTHER_BRAND)
    for _ in range(3):
        await stage.emit()
    async with stage.worker(webhook_timeout_seconds=3, webhook_connections=8):
        await eventually(lambda: sum(each.at_once for each in hanging) == 4, within=PATIENT)
        for _ in range(10):
            await stage.emit(OTHER_BRAND)
        await eventually(lambda: len(prompt.arrived) == 10, within=PATIENT)
        assert sum(len(each.arrived) for each in hanging) < 36


async def test_every_subscription_has_its_turn_while_others_are_busy(stage: Stage, receivers: Receivers) -> None:
    """The subscription whose deliveries are due first has the next turn."""
    failing, busy = await receivers(), await receivers()
    failing.answer = lambda _arrived: None
    base = failing.url.removesuffix("/hook")
    for number in range(5):
        await stage.subscribe(f"{base}/{number}")
    for _ in range(5):
        await stage.emit()
    await stage.subscribe(busy.url)
    async with stage.worker(webhook_connections_per_destination=1):

        async def all_had_a_turn() -> bool:
            await stage.emit()
            return len({each.path for each in failing.arrived}) == 5

        await eventually(all_had_a_turn, within=PATIENT)
        first = [each.path for each in failing.arrived[:5]]
    assert first == ["/0", "/1", "/2", "/3", "/4"]


def claimed(brand_ref: int, sequence: int) -> store.Claimed:
    url, destination, now = "http://x.example/", "x.example:80", clock.now()
    return store.Claimed(brand_ref, brand_ref, sequence, 0, now, url, destination, 20, UUID(int=0), "{}", [], now)


def test_brands_share_the_connections_of_a_destination() -> None:
    queues = Queues(4)
    [own] = queues.take([claimed(OWN_BRAND, number) for number in range(20)])
    own.width = 4
    in_flight = [own.begin() for _ in range(9)]
    assert [each is not None for each in in_flight] == [True] * 4 + [False] * 5
    [other] = queues.take([claimed(OTHER_BRAND, number) for number in range(20)])
    other.width = 4
    assert other.begin() is not None, "everybody has one, whatever others do"
    assert other.begin() is None
    for _ in range(3):
        own.end(succeeded=True)
    assert own.begin() is not None
    assert other.begin() is not None
    assert (own.begin(), other.begin()) == (None, None)
    assert (own.in_flight, other.in_flight) == (2, 2)


def test_only_a_queue_at_its_widest_claims_ahead() -> None:
    queues = Queues(4)
    [queue] = queues.take([claimed(OWN_BRAND, 1)])
    assert queue.capacity == 1
    for _ in range(2):
        queue.begin()
        queue.end(succeeded=True)
        queue.add(claimed(OWN_BRAND, 2))
    assert queue.capacity == 4 * AHEAD - queue.held
