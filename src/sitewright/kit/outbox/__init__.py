"""The outbox: work that features keep in tables of their own, claimed and done by any number of workers.

A feature writes an item in the transaction that causes it. A worker claims due items under a lease, handles them
outside of any transaction, and records the outcome: done, retry after a back-off, dead letter, or released untried. A
worker that dies keeps its items until their lease ends; then another one claims them: each is done at least once.

Every table of work follows one contract: `brand_ref`, `ref`, a due time, a count of attempts and the last error. A
claim moves the due time to the end of the lease; an outcome is recorded only under that lease. The claim
itself is a SQL function of the table, since it looks across brands, which take turns (`claim_due_*` in the migrations).
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
    """An item that this worker may handle until its lease ends."""

    brand_ref: int
    ref: int
    attempts: int
    """With the one that this claim is for."""
    lease_until: datetime
    """Moved on while the item is handled, where that takes long."""


class WorkTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of work, and its names for the columns of the contract. The names are constants, never input."""

    name: str
    pending: str
    """The condition that an item is neither done nor a dead letter."""
    due: str = "due_at"
    attempts: str = "attempts"
    error: str = "last_error"
    done: str
    """What is set when an item is done; `$3` is the time."""
    dead: str
    """What is set when an item becomes a dead letter, besides the error; `$3` is the time."""


class BackOff(msgspec.Struct, frozen=True):
    """How long to wait after each failed attempt; after the last wait follows the last attempt."""

    delays: Sequence[timedelta]

    def delay(self, attempts: int) -> timedelta | None:
        """After so many attempts; None when there are none left. With jitter, to spread what failed together."""
        if attempts > len(self.delays):
            return None
        return self.delays[max(attempts, 1) - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret


class DeadLetter(Exception):
    """Raised by a handler for an item that no further attempt can help; the message is kept as the reason."""


Claim: TypeAlias = Callable[[Transaction, datetime, datetime, int], Awaitable[list[Claimed]]]
"""Claims at most so many items that are due now, until the end of the lease."""


@dataclass(frozen=True, kw_only=True)
class Outbox:
    """One kind of work: where it is kept, how it is claimed, and how often it is tried."""

    name: str
    table: WorkTable
    claim: Claim
    lease: timedelta
    back_off: BackOff
    batch: int = 1
    """Items that are claimed for one call of the handler."""
    concurrency: Callable[[Settings], int] = lambda _settings: 1
    """Handlers that a worker runs at the same time."""
    poll_seconds: float = 1.0
    drain_seconds: float = 10.0
    """For handlers that run when the worker is told to stop; then they are cancelled and their items released."""
