"""The matrix: every variant of every route, every slot of it, every reason why a ref is not the caller's.

A cell is one request with refs that are not the caller's. Its response must equal that to the same request with
nonexistent refs in the same slots, except for the refs themselves.
"""

from collections.abc import Collection, Iterator

import msgspec

from sitewright.kit.http import Endpoint
from tests.isolation.requests import Way
from tests.isolation.slots import Slot
from tests.isolation.world import Actor, Variety


class Cell(msgspec.Struct, frozen=True):
    way: Way
    slots: tuple[Slot, ...]
    variety: Variety

    @property
    def name(self) -> str:
        slots = ", ".join(f"{slot.place} {slot.name}" for slot in self.slots)
        return f"{self.way.name}: {slots} of {self.variety.name}"


def cells_of(way: Way, actor: Actor, among: Collection[Variety] | None = None) -> Iterator[Cell]:
    """Each slot separately, and all at once: the whole path to somebody else's object, not only its last ref."""
    for variety in _varieties(way, actor) if among is None else among:
        foreign = [slot for slot in way.slots if _is_foreign(slot, variety, actor)]
        for slot in foreign:
            yield Cell(way, (slot,), variety)
        together = [slot for slot in foreign if slot.place != "header"]
        if len(together) > 1 and not variety.below_alone:
            yield Cell(way, tuple(together), variety)


def _varieties(way: Way, actor: Actor) -> list[Variety]:
    """A caller whose role does not allow the call is refused before any ref is looked up: one reason is enough to check
    that."""
    if isinstance(way.route, Endpoint) and actor.role not in way.route.roles:
        return [actor.varieties[0]]
    return [variety for variety in actor.varieties if not (variety.deleted and way.reaches_deleted)]


def _is_foreign(slot: Slot, variety: Variety, actor: Actor) -> bool:
    if slot.name in actor.headers:
        return False  # it names the brand it acts for, and may name any
    return slot.kind in variety.kinds and (slot.below or not variety.below_alone)
