"""Slots for slow work: one tenant never has all of them, and waiting tenants are served round-robin."""

import asyncio

import pytest

from sitewright.kit.fair_slots import FairSlots
from sitewright.kit.problems import Unavailable


class Work:
    """Tasks that each wait for a slot, and then hold it until `end` is called with their name."""

    def __init__(self, slots: FairSlots) -> None:
        self._slots = slots
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: list[asyncio.Task[None]] = []
        self.begun: list[str] = []

    async def start(self, tenant: int | None, name: str, wait_seconds: float = 10) -> asyncio.Task[None]:
        async def work() -> None:
            async with self._slots.slot(tenant, wait_seconds):
                self.begun.append(name)
                await self._ends[name].wait()

        self._ends[name] = asyncio.Event()
        self.tasks.append(asyncio.create_task(work()))
        await settle()
        return self.tasks[-1]

    async def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()
            await settle()


async def settle() -> None:
    """Run the event loop until all tasks are blocked."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_one_tenant_never_has_all_slots() -> None:
    work = Work(FairSlots(3))
    for name in ("a1", "a2", "a3"):
        await work.start(1, name)
    assert work.begun == ["a1", "a2"]
    await work.start(2, "b1")
    assert work.begun == ["a1", "a2", "b1"]
    await work.end("a1")
    assert work.begun[3:] == ["a3"]
    await work.end("a2", "a3", "b1")
    await asyncio.gather(*work.tasks)


async def test_waiting_tenants_are_served_round_robin() -> None:
    work = Work(FairSlots(2))
    for tenant, name in ((1, "a1"), (1, "a2"), (1, "a3"), (1, "a4"), (2, "b1"), (2, "b2"), (3, "c1")):
        await work.start(tenant, name)
    assert work.begun == ["a1", "b1"]
    await work.end("a1", "b1", "a2", "b2", "c1", "a3", "a4")
    assert work.begun == ["a1", "b1", "a2", "b2", "c1", "a3", "a4"]
    await asyncio.gather(*work.tasks)


async def test_a_single_slot_serves_all_tenants() -> None:
    work = Work(FairSlots(1))
    for tenant, name in ((1, "a1"), (1, "a2"), (2, "b1")):
        await work.start(tenant, name)
    await work.end("a1", "a2", "b1")
    assert work.begun == ["a1", "a2", "b1"]
    await asyncio.gather(*work.tasks)


async def test_waiting_times_out_and_leaves_nothing_behind() -> None:
    slots = FairSlots(2)
    work = Work(slots)
    await work.start(1, "a1")
    with pytest.raises(Unavailable):
        await (await work.start(1, "a2", wait_seconds=0.02))
    await work.end("a1")
    await work.start(1, "a3")
    assert work.begun == ["a1", "a3"]
    await work.end("a3")


async def test_a_waiter_cancelled_when_served_passes_the_slot_on() -> None:
    work = Work(FairSlots(1))
    await work.start(1, "a1")
    waiting = await work.start(1, "a2")
    await work.start(2, "b1")
    work._ends["a1"].set()
    await asyncio.sleep(0)
    waiting.cancel()
    await settle()
    assert "b1" in work.begun
    await work.end("a2", "b1")
    await asyncio.gather(*work.tasks, return_exceptions=True)
