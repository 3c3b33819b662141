"""The four kinds of work of a worker:

- A job (`JobKind`, on PgQueuer's queue): enqueued in the transaction that causes it, done at least once. It must be
  idempotent: if a worker dies, another one runs its job again.
- A schedule (`Schedule`): work on a cron schedule, run once among all workers, mainly housekeeping.
- An outbox (`kit.outbox`): high-volume work that a feature keeps in its own table, with leases, retries and dead
  letters.
- A periodic task (`PeriodicTask`): work every few seconds, in every worker.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.jobs import store
from sitewright.kit.resources import Resources
from sitewright.kit.waiting import wait_at_most, with_jitter

P = TypeVar("P", bound=msgspec.Struct)


@dataclass(frozen=True)
class JobKind(Generic[P]):
    """One kind of job: its name on the queue, its payload, its handler, and how often it is tried."""

    name: str
    payload: type[P]
    run: Callable[[P, Resources], Awaitable[None]]
    attempts: int = 5

    async def enqueue(
        self, tx: Transaction, payload: P, *, after: timedelta | None = None, dedupe_key: str | None = None
    ) -> None:
        """Runs after the commit, or never when the transaction rolls back. Skipped while a job
        with the same `dedupe_key` is waiting or running."""
        await store.enqueue(tx, self.name, msgspec.json.encode(payload), after=after, dedupe_key=dedupe_key)


class Loop(Protocol):
    """Work that every worker does from its start to its end: an `OutboxLoop`, or a `PeriodicTask`."""

    @property
    def name(self) -> str: ...

    async def run(self, resources: Resources, stopping: asyncio.Event) -> None:
        """Runs until the event is set; restarted after an error."""


@dataclass
class PeriodicTask:
    """Work that every worker does every few seconds; locks in the database keep several workers from doing it twice."""

    name: str
    seconds: float
    work: Callable[[Resources], Awaitable[None]]
    is_running: bool = field(default=False, init=False)
    """In this process; less urgent work checks it and waits."""

    async def run(self, resources: Resources, stopping: asyncio.Event) -> None:
        while not stopping.is_set():
            self.is_running = True
            try:
                await self.work(resources)
            finally:
                self.is_running = False
            await wait_at_most(stopping, with_jitter(self.seconds))


@dataclass(frozen=True)
class Schedule:
    """Work on a cron schedule (`expression`), done once among all workers."""

    name: str
    expression: str
    run: Callable[[Resources], Awaitable[None]]
