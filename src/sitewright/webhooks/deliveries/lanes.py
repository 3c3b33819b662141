"""Each destination has a lane of its own: how many deliveries to it are under way, and how many may be.

A lane begins narrow, widens with every success and narrows with every failure. A receiver that hangs thus holds a
connection or two, not all of them; one that answers soon has all that a destination may have, and some more claimed
ahead, so that it need not wait for the database.
"""

from collections import deque
from collections.abc import Iterator

from sitewright.webhooks.deliveries.store import Claimed

FIRST_WIDTH = 2
AHEAD = 6
"""Times its width a lane may hold, once it is as wide as can be."""


class Lane:
    def __init__(self, widest: int) -> None:
        self._widest = widest
        self.width = min(FIRST_WIDTH, widest)
        self.under_way = 0
        self.queue: deque[Claimed] = deque()
        self.may_have_more = False
        """Whether the last claim for it took as many as it had room for."""

    @property
    def held(self) -> int:
        return self.under_way + len(self.queue)

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

    def begin(self) -> Claimed | None:
        """The next to be posted, if it may be posted now."""
        if not self.queue or self.under_way >= self.width:
            return None
        self.under_way += 1
        return self.queue.popleft()

    def end(self, *, succeeded: bool) -> list[Claimed]:
        """Answers what was claimed ahead and had better be given back: the receiver is in trouble."""
        self.under_way -= 1
        if succeeded:
            self.width = min(self._widest, self.width + 1)
            return []
        self.width = max(1, self.width // 2)
        given_back = list(self.queue)
        self.queue.clear()
        self.may_have_more |= bool(given_back)
        return given_back


class Lanes:
    def __init__(self, widest: int) -> None:
        self._widest = widest
        self._lanes: dict[str, Lane] = {}
        self.first_width = min(FIRST_WIDTH, widest)

    def __getitem__(self, destination: str) -> Lane:
        if destination not in self._lanes:
            self._lanes[destination] = Lane(self._widest)
        return self._lanes[destination]

    def __iter__(self) -> Iterator[Lane]:
        return iter(self._lanes.values())

    @property
    def held(self) -> int:
        return sum(lane.held for lane in self._lanes.values())

    def rooms(self) -> dict[str, int]:
        """Of those that are not as they began; who is, and has nothing in hand, is forgotten here."""
        for destination, lane in list(self._lanes.items()):
            if not lane.held and lane.width == self.first_width:
                del self._lanes[destination]
        return {destination: lane.room for destination, lane in self._lanes.items()}

    def take(self, claimed: list[Claimed], rooms: dict[str, int]) -> None:
        counts: dict[str, int] = {}
        for each in claimed:
            self[each.destination].queue.append(each)
            counts[each.destination] = counts.get(each.destination, 0) + 1
        for destination, lane in self._lanes.items():
            lane.may_have_more = counts.get(destination, 0) >= rooms.get(destination, self.first_width)
