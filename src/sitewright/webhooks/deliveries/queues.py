"""Per-destination queues: each brand has one for each destination, with its own concurrency.

A queue starts narrow, widens by one with every success and halves with every failure. A receiver that hangs thus holds
a connection or two, not all of them. A queue at its widest may also hold some deliveries claimed ahead, so that a fast
receiver need not wait for the database. Brands that deliver to the same destination share its connections.
"""

from collections import Counter, deque
from collections.abc import Container, Iterator

from sitewright.kit import clock
from sitewright.webhooks.deliveries.store import Capacity, Claimed

FIRST_WIDTH = 2
AHEAD = 6
"""Times its width a queue may hold, once it is as wide as can be."""
AHEAD_SECONDS = 1.0
"""For which a delivery may stay claimed ahead."""
IDLE_SECONDS = 600.0
"""After which an unused queue is evicted."""


class Destination:
    """What the queues of several brands share."""

    def __init__(self) -> None:
        self.queues: list[Queue] = []

    def has_room_for(self, queue: "Queue", most: int) -> bool:
        """No queue has more than its share of the connections, but each has one, whatever the others do."""
        if not queue.in_flight:
            return True
        busy = sum(1 for each in self.queues if each.held)
        return queue.in_flight < most // busy and sum(each.in_flight for each in self.queues) < most


class Queue:
    def __init__(self, brand_ref: int, destination: Destination, widest: int) -> None:
        self.brand_ref = brand_ref
        self._destination = destination
        self._widest = widest
        self._waiting: deque[tuple[float, Claimed]] = deque()
        self.width = min(FIRST_WIDTH, widest)
        self.in_flight = 0
        self.used = clock.stopwatch()
        self._has_failed = True
        """Whether its last delivery failed, or there was none yet: then nothing is claimed ahead."""
        self.may_have_more = False
        """Whether more may be due than the last claim took."""
        destination.queues.append(self)

    @property
    def held(self) -> int:
        return self.in_flight + len(self._waiting)

    @property
    def _most(self) -> int:
        return self.width if self._has_failed or self.width < self._widest else self.width * AHEAD

    @property
    def capacity(self) -> int:
        return max(0, self._most - self.held)

    @property
    def wants_more(self) -> bool:
        """Whether a claim is worth its cost."""
        return self.may_have_more and self.capacity * 2 >= self._most

    @property
    def is_idle(self) -> bool:
        return not self.held and not self.may_have_more and clock.stopwatch() - self.used > IDLE_SECONDS

    def add(self, claimed: Claimed) -> None:
        self.used = clock.stopwatch()
        self._waiting.append((self.used, claimed))

    def begin(self) -> Claimed | None:
        """The next delivery, if it may be posted now."""
        if not self._waiting or self.in_flight >= self.width:
            return None
        if not self._destination.has_room_for(self, self._widest):
            return None
        _at, claimed = self._waiting.popleft()
        self.in_flight += 1
        return claimed

    def end(self, *, succeeded: bool) -> list[Claimed]:
        """Returns what is to be released, since the receiver is in trouble."""
        self.in_flight -= 1
        self._has_failed = not succeeded
        if succeeded:
            self.width = min(self._widest, self.width + 1)
            return []
        self.width = max(1, self.width // 2)
        return self.drop_all()

    def drop_all(self) -> list[Claimed]:
        """All that is claimed and not in flight."""
        return self._drop([each for _at, each in self._waiting])

    def drop_old(self) -> list[Claimed]:
        """What was claimed ahead too long ago: its subscription may have changed, and another worker may be idle."""
        before = clock.stopwatch() - AHEAD_SECONDS
        return self._drop([each for at, each in self._waiting if at < before])

    def drop_changed(self, subscription_refs: Container[int]) -> list[Claimed]:
        return self._drop([each for _at, each in self._waiting if each.subscription_ref in subscription_refs])

    def _drop(self, dropped: list[Claimed]) -> list[Claimed]:
        if dropped:
            gone = {id(each) for each in dropped}
            self._waiting = deque(kept for kept in self._waiting if id(kept[1]) not in gone)
            self.may_have_more = True
        return dropped


class Queues:
    """By brand and destination."""

    def __init__(self, widest: int) -> None:
        self._widest = widest
        self._queues: dict[tuple[int, str], Queue] = {}
        self._destinations: dict[str, Destination] = {}
        self.first_width = min(FIRST_WIDTH, widest)

    def __iter__(self) -> Iterator[Queue]:
        return iter(list(self._queues.values()))

    @property
    def held(self) -> dict[int, int]:
        """By each brand that holds any."""
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
        """Returns the queues that got something. One of whose subscriptions has used up its share may have more."""
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
            self._queues[key] = Queue(key[0], destination, self._widest)
        return self._queues[key]

    def _evict(self, key: tuple[int, str]) -> None:
        shared = self._destinations[key[1]]
        shared.queues.remove(self._queues.pop(key))
        if not shared.queues:
            del self._destinations[key[1]]
