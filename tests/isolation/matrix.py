"""The matrix: every variant of every route, every slot of it, every reason why a ref is not the caller's.

A cell is one request with refs that are not the caller's. Its response must equal that to the same request with
nonexistent refs in the same slots, except for the refs themselves.
"""

from collections.abc import Collection, Iterator

import msgspec

from sitewright.kit.http import Endpoint
from tests.isolation.requests import RequestVariant
from tests.isolation.slots import Slot
from tests.isolation.world import Actor, Reason


class Cell(msgspec.Struct, frozen=True):
    variant: RequestVariant
    slots: tuple[Slot, ...]
    reason: Reason

    @property
    def name(self) -> str:
        slots = ", ".join(f"{slot.place} {slot.name}" for slot in self.slots)
        return f"{self.variant.name}: {slots} of {self.reason.name}"


def cells_of(variant: RequestVariant, actor: Actor, among: Collection[Reason] | None = None) -> Iterator[Cell]:
    """Each slot separately, and all at once: the whole path to somebody else's object, not only its last ref."""
    for reason in _reasons(variant, actor) if among is None else among:
        foreign = [slot for slot in variant.slots if _is_foreign(slot, reason, actor)]
        for slot in foreign:
            yield Cell(variant, (slot,), reason)
        together = [slot for slot in foreign if slot.place != "header"]
        if len(together) > 1 and not reason.below_alone:
            yield Cell(variant, tuple(together), reason)


def _reasons(variant: RequestVariant, actor: Actor) -> list[Reason]:
    """A caller whose role does not allow the call is refused before any ref is looked up: one reason is enough to check
    that."""
    if isinstance(variant.route, Endpoint) and actor.role not in variant.route.roles:
        return [actor.reasons[0]]
    return [reason for reason in actor.reasons if not (reason.deleted and variant.reaches_deleted)]


def _is_foreign(slot: Slot, reason: Reason, actor: Actor) -> bool:
    if slot.name in actor.headers:
        return False  # it names the brand it acts for, and may name any
    return slot.kind in reason.kinds and (slot.below or not reason.below_alone)
