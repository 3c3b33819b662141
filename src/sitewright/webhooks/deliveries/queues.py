"""Per-destination queues: each brand has one for each destination, with its own concurrency.

Concurrency is adaptive (additive increase, multiplicative decrease): it starts low, grows by one with every success and
halves with every failure, so that a hanging receiver holds a connection or two, not all of them. A queue at its maximum
also prefetches deliveries, so that a fast receiver need not wait for the database. Brands that deliver to the same
destination share its connections.
"""

from collections import Counter, deque
from collections.abc import Container, Iterator

from sitewright.kit import clock
from sitewright.webhooks.deliveries.store import Capacity, Claimed

INITIAL_CONCURRENCY = 2
PREFETCH_FACTOR = 6
"""How many times its concurrency a queue may hold, once that is at its maximum."""
PREFETCH_SECONDS = 1.0
"""How long a delivery may stay prefetched."""
IDLE_SECONDS = 600.0
"""After which an unused queue is evicted."""


class Destination:
    """The state that the queues of several brands share."""

    def __init__(self) -> None:
        self.queues: list[Queue] = []

    def has_capacity_for(self, queue: "Queue", max_connections: int) -> bool:
        """A queue gets at most its share of the connections, but always one."""
        if not queue.in_flight:
            return True
        busy = sum(1 for each in self.queues if each.held)
        total = sum(each.in_flight for each in self.queues)
        return queue.in_flight < max_connections // busy and total < max_connections


class Queue:
    def __init__(self, brand_ref: int, destination: Destination, max_concurrency: int) -> None:
        self.brand_ref = brand_ref
        self._destination = destination
        self._max_concurrency = max_concurrency
        self._waiting: deque[tuple[float, Claimed]] = deque()
        self.concurrency = min(INITIAL_CONCURRENCY, max_concurrency)
        self.in_flight = 0
        self.used = clock.stopwatch()
        self._has_failed = True
        """Whether its last delivery failed, or there was none yet: then nothing is prefetched."""
        self.may_have_more = False
        """Whether more may be due than the last claim took."""
        destination.queues.append(self)

    @property
    def held(self) -> int:
        """How many deliveries it has claimed: waiting or in flight."""
        return self.in_flight + len(self._waiting)

    @property
    def _limit(self) -> int:
        return (
            self.concurrency
            if self._has_failed or self.concurrency < self._max_concurrency
            else self.concurrency * PREFETCH_FACTOR
        )

    @property
    def capacity(self) -> int:
        return max(0, self._limit - self.held)

    @property
    def wants_more(self) -> bool:
        """Whether a claim is worth its cost."""
        return self.may_have_more and self.capacity * 2 >= self._limit

    @property
    def is_idle(self) -> bool:
        return not self.held and not self.may_have_more and clock.stopwatch() - self.used > IDLE_SECONDS

    def add(self, claimed: Claimed) -> None:
        self.used = clock.stopwatch()
        self._waiting.append((self.used, claimed))

    def begin(self) -> Claimed | None:
        """The next delivery, if it may be posted now."""
        if not self._waiting or self.in_flight >= self.concurrency:
            return None
        if not self._destination.has_capacity_for(self, self._max_concurrency):
            return None
        _at, claimed = self._waiting.popleft()
        self.in_flight += 1
        return claimed

    def end(self, *, succeeded: bool) -> list[Claimed]:
        """Returns the deliveries to release: all prefetched ones after a failure."""
        self.in_flight -= 1
        self._has_failed = not succeeded
        if succeeded:
            self.concurrency = min(self._max_concurrency, self.concurrency + 1)
            return []
        self.concurrency = max(1, self.concurrency // 2)
        return self.drop_all()

    def drop_all(self) -> list[Claimed]:
        """All that are claimed and not in flight."""
        return self._drop([each for _at, each in self._waiting])

    def drop_old(self) -> list[Claimed]:
        """Those prefetched too long ago: their subscription may have changed, and another worker may be idle."""
        before = clock.stopwatch() - PREFETCH_SECONDS
        return self._drop([each for at, each in self._waiting if at < before])

    def drop_changed(self, subscription_refs: Container[int]) -> list[Claimed]:
        return self._drop([each for _at, each in self._waiting if each.subscription_ref in subscription_refs])

    def _drop(self, dropped: list[Claimed]) -> list[Claimed]:
        if dropped:
            dropped_ids = {id(each) for each in dropped}
            self._waiting = deque(each for each in self._waiting if id(each[1]) not in dropped_ids)
            self.may_have_more = True
        return dropped


class Queues:
    """By brand and destination."""

    def __init__(self, max_concurrency: int) -> None:
        self._max_concurrency = max_concurrency
        self._queues: dict[tuple[int, str], Queue] = {}
        self._destinations: dict[str, Destination] = {}
        self.initial_concurrency = min(INITIAL_CONCURRENCY, max_concurrency)

    def __iter__(self) -> Iterator[Queue]:
        return iter(list(self._queues.values()))

    @property
    def held(self) -> dict[int, int]:
        """How many each brand holds."""
        held: Counter[int] = Counter()
        for (brand_ref, _destination), queue in self._queues.items():
            if queue.held:
                held[brand_ref] += queue.held
        return dict(held)

    def capacities(self) -> list[Capacity]:
        for key in [key for key, queue in self._queues.items() if queue.is_idle]:
            self._evict(key)
        return [Capacity(*key, queue.capacity) for key, queue in self._queues.items()]

    def take(self, claimed: list[Claimed]) -> list[Queue]:
        """Adds claimed deliveries; returns their queues. After a subscription used up its share, more may be due."""
        of_subscriptions = Counter((each.brand_ref, each.subscription_ref) for each in claimed)
        taken: dict[tuple[int, str], bool] = {}
        for each in claimed:
            key = each.brand_ref, each.destination
            self._queue(key).add(each)
            used_up = of_subscriptions[each.brand_ref, each.subscription_ref] >= each.share
            taken[key] = taken.get(key, False) or used_up
        for key, queue in self._queues.items():
            queue.may_have_more = taken.get(key, queue.capacity == 0)
        return [self._queues[key] for key in taken]

    def _queue(self, key: tuple[int, str]) -> Queue:
        if key not in self._queues:
            destination = self._destinations.setdefault(key[1], Destination())
            self._queues[key] = Queue(key[0], destination, self._max_concurrency)
        return self._queues[key]

    def _evict(self, key: tuple[int, str]) -> None:
        shared = self._destinations[key[1]]
        shared.queues.remove(self._queues.pop(key))
        if not shared.queues:
            del self._destinations[key[1]]
