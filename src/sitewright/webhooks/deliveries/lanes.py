"""Each brand has a lane of its own to each destination: how many deliveries are under way there, and how many may be.

A lane begins narrow, widens with every success and narrows with every failure. A receiver that hangs thus holds a
connection or two, not all of them; one that answers soon has all that a destination may have, and some more claimed
ahead, so that it need not wait for the database. Brands that deliver to the same destination share its connections.
"""

from collections import deque
from collections.abc import Container, Iterator

from sitewright.kit import clock
from sitewright.webhooks.deliveries.store import Claimed, Room

FIRST_WIDTH = 2
AHEAD = 6
"""Times its width a lane may hold, once it is as wide as can be."""
AHEAD_SECONDS = 1.0
"""For which something may stay claimed ahead."""
REMEMBERED_SECONDS = 600.0
"""For which a lane that is not used is known."""


class Destination:
    """What the lanes of several brands have in common."""

    def __init__(self) -> None:
        self.lanes: list[Lane] = []

    def has_room_for(self, lane: "Lane", most: int) -> bool:
        """Nobody has more than his share of it, but everybody has one, whatever others do."""
        if not lane.under_way:
            return True
        busy = sum(1 for each in self.lanes if each.held)
        return lane.under_way < most // busy and sum(each.under_way for each in self.lanes) < most


class Lane:
    def __init__(self, brand_ref: int, destination: Destination, widest: int) -> None:
        self.brand_ref = brand_ref
        self._destination = destination
        self._widest = widest
        self._queue: deque[tuple[float, Claimed]] = deque()
        self.width = min(FIRST_WIDTH, widest)
        self.under_way = 0
        self.last_turn = 0
        """The subscription that had it."""
        self.used = clock.stopwatch()
        self.may_have_more = False
        """Whether the last claim for it took as many as it had room for."""
        destination.lanes.append(self)

    @property
    def held(self) -> int:
        return self.under_way + len(self._queue)

    @property
    def _most(self) -> int:
        return self.width * AHEAD if self.width == self._widest else self.width

    @property
    def room(self) -> int:
        return max(0, self._most - self.held)

    @property
    def wants_more(self) -> bool:
        """Whether a claim is worth its while."""
        return self.may_have_more and self.room * 2 >= self._most

    @property
    def is_forgotten(self) -> bool:
        idle = clock.stopwatch() - self.used
        return not self.held and not self.may_have_more and idle > REMEMBERED_SECONDS

    def add(self, claimed: Claimed) -> None:
        self.used = clock.stopwatch()
        self._queue.append((self.used, claimed))

    def begin(self) -> Claimed | None:
        """The next to be posted, if it may be posted now."""
        if not self._queue or self.under_way >= self.width:
            return None
        if not self._destination.has_room_for(self, self._widest):
            return None
        _at, claimed = self._queue.popleft()
        self.under_way += 1
        self.last_turn = claimed.subscription_ref
        return claimed

    def end(self, *, succeeded: bool) -> list[Claimed]:
        """Answers what was claimed ahead and had better be given back: the receiver is in trouble."""
        self.under_way -= 1
        if succeeded:
            self.width = min(self._widest, self.width + 1)
            return []
        self.width = max(1, self.width // 2)
        return self.give_up()

    def give_up(self) -> list[Claimed]:
        """All that is claimed and not under way."""
        return self._drop([each for _at, each in self._queue])

    def give_up_old(self) -> list[Claimed]:
        """What has waited here for too long: its subscription may have changed, and another worker be idle."""
        before = clock.stopwatch() - AHEAD_SECONDS
        return self._drop([each for at, each in self._queue if at < before])

    def give_up_changed(self, subscription_refs: Container[int]) -> list[Claimed]:
        return self._drop([each for _at, each in self._queue if each.subscription_ref in subscription_refs])

    def _drop(self, dropped: list[Claimed]) -> list[Claimed]:
        if dropped:
            gone = {id(each) for each in dropped}
            self._queue = deque(kept for kept in self._queue if id(kept[1]) not in gone)
            self.may_have_more = True
        return dropped


class Lanes:
    """By brand and destination; whoever had no turn for the longest time comes first."""

    def __init__(self, widest: int) -> None:
        self._widest = widest
        self._lanes: dict[tuple[int, str], Lane] = {}
        self._destinations: dict[str, Destination] = {}
        self.first_width = min(FIRST_WIDTH, widest)

    def __iter__(self) -> Iterator[Lane]:
        return iter(list(self._lanes.values()))

    @property
    def held(self) -> dict[int, int]:
        """By each brand that holds any."""
        held: dict[int, int] = {}
        for (brand_ref, _destination), lane in self._lanes.items():
            if lane.held:
                held[brand_ref] = held.get(brand_ref, 0) + lane.held
        return held

    def rooms(self) -> list[Room]:
        for key in [key for key, lane in self._lanes.items() if lane.is_forgotten]:
            self._forget(key)
        return [Room(*key, lane.room, lane.last_turn) for key, lane in self._lanes.items()]

    def take(self, claimed: list[Claimed], rooms: list[Room]) -> list[Lane]:
        """Answers the lanes that have something more."""
        counts: dict[tuple[int, str], int] = {}
        for each in claimed:
            key = each.brand_ref, each.destination
            counts[key] = counts.get(key, 0) + 1
            self._lane(key).add(each)
        known = {(room.brand_ref, room.destination): room.room for room in rooms}
        for key, lane in self._lanes.items():
            lane.may_have_more = counts.get(key, 0) >= known.get(key, self.first_width)
        for key in counts:
            self._lanes[key] = self._lanes.pop(key)
        return [self._lanes[key] for key in counts]

    def _lane(self, key: tuple[int, str]) -> Lane:
        if key not in self._lanes:
            destination = self._destinations.setdefault(key[1], Destination())
            self._lanes[key] = Lane(key[0], destination, self._widest)
        return self._lanes[key]

    def _forget(self, key: tuple[int, str]) -> None:
        shared = self._destinations[key[1]]
        shared.lanes.remove(self._lanes.pop(key))
        if not shared.lanes:
            del self._destinations[key[1]]
