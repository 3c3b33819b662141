"""Jobs: background work, put on the queue in the transaction that causes it, done at least once.

A job must be idempotent: a worker that dies half-way has its job run again by another.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Generic, TypeVar

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.jobs.queue import queries_on
from sitewright.kit.resources import Resources

P = TypeVar("P", bound=msgspec.Struct)


@dataclass(frozen=True)
class JobKind(Generic[P]):
    """One kind of job: its name on the queue, what it is told, what it does, how often it is tried."""

    name: str
    payload: type[P]
    run: Callable[[P, Resources], Awaitable[None]]
    attempts: int = 5

    async def enqueue(
        self, tx: Transaction, payload: P, *, after: timedelta | None = None, dedupe_key: str | None = None
    ) -> None:
        """Runs after the commit, or never when the transaction rolls back. A waiting twin (`dedupe_key`) is enough."""
        body = msgspec.json.encode(payload)
        await queries_on(tx).enqueue(self.name, body, execute_after=after, dedupe_key=dedupe_key, on_conflict="skip")


@dataclass
class Round:
    """Work that every worker looks for every few seconds, from its start on. That it is done once among several
    workers is for the work itself to see to (locks in the database)."""

    name: str
    seconds: float
    run: Callable[[Resources], Awaitable[None]]
    is_under_way: bool = field(default=False, init=False)
    """In this process, for others that can wait."""


@dataclass(frozen=True)
class Duty:
    """Work that every worker has from its start to its end. Told to stop by the event, it ends what is under way."""

    name: str
    run: Callable[[Resources, asyncio.Event], Awaitable[None]]


@dataclass(frozen=True)
class Schedule:
    """Work the worker does by the clock on the wall (`expression` is cron's), once among all workers."""

    name: str
    expression: str
    run: Callable[[Resources], Awaitable[None]]
