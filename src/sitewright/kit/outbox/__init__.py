"""The outbox: background work that features keep in tables of their own, for any number of workers.

A feature writes an item in the transaction that causes it. A worker claims due items under a lease, handles them
outside of any transaction, and records the outcome: done, retry after a back-off, dead letter, or released untried. A
worker that dies keeps its items until their lease expires; then another one claims them: each is done at least once.

Every table of work follows one contract: `brand_ref`, `ref`, a due time, a count of attempts and the last error. A
claim sets the due time to the end of the lease, and an outcome is recorded only if the row still has that lease
(optimistic lock). Each table has a SQL function for its claim (`claim_due_*` in the migrations), which reads all brands
and shares the claim evenly between them.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import msgspec

from sitewright.kit.db import Transaction
from sitewright.settings import Settings

JITTER = 0.1


class Claimed(msgspec.Struct, gc=False):
    """An item that this worker may handle until its lease expires."""

    brand_ref: int
    ref: int
    attempts: int
    """The number of attempts, including the current one."""
    lease_until: datetime
    """The end of the lease, which is extended while the item is handled."""


class WorkTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of work, and its names for the columns of the contract. All texts are constants, never input."""

    name: str
    pending: str
    """The SQL condition of items that are neither done nor dead letters."""
    ref: str = "ref"
    due: str = "due_at"
    attempts: str = "attempts"
    error: str = "last_error"
    done: str
    """The SQL assignments for an item that is done; `$3` is the time."""
    dead: str
    """The SQL assignments for a dead letter, besides the error; `$3` is the time."""


class BackOff(msgspec.Struct, frozen=True):
    """The delays before each retry; an item whose last retry fails becomes a dead letter."""

    delays: Sequence[timedelta]

    def delay(self, attempts: int) -> timedelta | None:
        """Return the delay after this many failures, with jitter to spread retries; None if no retry is left."""
        if attempts > len(self.delays):
            return None
        return self.delays[max(attempts, 1) - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret


class DeadLetter(Exception):
    """Raised by a handler for an item that retries cannot help; the message is stored as the reason."""


Claim: TypeAlias = Callable[[Transaction, datetime, datetime, int], Awaitable[list[Claimed]]]
"""A function of a connection, the current time, the end of the lease, and the maximum number of items to claim."""


@dataclass(frozen=True, kw_only=True)
class Outbox:
    """One kind of work: its table, its claim function, its lease and its retries."""

    name: str
    table: WorkTable
    claim: Claim
    lease: timedelta
    back_off: BackOff
    batch: int = 1
    """Maximum number of items for one call of the handler."""
    concurrency: Callable[[Settings], int] = lambda _settings: 1
    """Maximum number of handlers that a worker runs concurrently."""
    poll_seconds: float = 1.0
    drain_seconds: float = 10.0
    """Time for running handlers to finish when the worker stops; then they are canceled and their items released."""
