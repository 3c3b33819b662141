"""What is done while a clock is moved. Features of every package contribute to it: see `features.LIFECYCLE`."""

from datetime import datetime
from typing import Protocol

from sitewright.kit.db import Transaction
from sitewright.kit.lifecycle import LifecycleNotInstalled, Wiring
from sitewright.kit.resources import Resources


class DueWork(Protocol):
    """Work of one feature that is due at times of the brand."""

    async def due_times(self, tx: Transaction, until: datetime, limit: int) -> list[datetime]:
        """When the first things are due until then; without those that have failed and wait for a retry."""

    async def run(self, resources: Resources, brand_ref: int, until: datetime) -> None:
        """Does everything of the brand that is due until then, as the worker would: once, in due order."""


class DueWorkHook:
    """The works of all features, in the order in which they are done."""

    name = "due_work"

    def __init__(self) -> None:
        self.observers: tuple[DueWork, ...] | None = None
        """None until the process has installed its list."""

    def done_by(self, *works: DueWork) -> Wiring:
        return Wiring(self, works)

    @property
    def works(self) -> tuple[DueWork, ...]:
        if self.observers is None:
            raise LifecycleNotInstalled(self.name)
        return self.observers


due_work = DueWorkHook()
