"""The fair queue: round-robin between tenants, first in, first out within a tenant."""

from sitewright.kit.fair_queue import FairQueue, Tenant


def served(queue: FairQueue[str], *held_back: Tenant) -> list[str]:
    """All items in the order they are served, while the tenants `held_back` are at their limit."""
    found = []
    while (next_one := queue.pop(lambda tenant: tenant not in held_back)) is not None:
        found.append(next_one[1])
    return found


def filled(*items: tuple[Tenant, str]) -> FairQueue[str]:
    queue: FairQueue[str] = FairQueue()
    for tenant, item in items:
        queue.push(tenant, item)
    return queue


def test_tenants_are_served_round_robin() -> None:
    queue = filled((1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (3, "c1"), (2, "b2"))
    assert served(queue) == ["a1", "b1", "c1", "a2", "b2", "a3"]
    assert not queue


def test_a_tenant_that_was_served_goes_to_the_end() -> None:
    queue = filled((1, "a1"), (1, "a2"))
    assert queue.pop(lambda _tenant: True) == (1, "a1")
    queue.push(2, "b1")
    queue.push(1, "a3")
    assert served(queue) == ["a2", "b1", "a3"]


def test_a_tenant_at_its_limit_is_skipped_and_keeps_its_position() -> None:
    queue = filled((1, "a1"), (1, "a2"), (2, "b1"), (None, "n1"))
    assert served(queue, 1) == ["b1", "n1"]
    assert queue
    assert served(queue) == ["a1", "a2"]


def test_a_discarded_waiter_leaves_nothing_behind() -> None:
    queue = filled((1, "a1"), (1, "a2"), (2, "b1"))
    for tenant, item in ((1, "a1"), (2, "b1"), (2, "b1"), (9, "x")):
        queue.discard(tenant, item)
    assert served(queue) == ["a2"]
    assert not queue
