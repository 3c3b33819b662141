"""A brand's due changes in a pipeline of batches: while one is written, the next is read and decided.

A batch is written only after the previous one has committed, so changes happen in the order they are due. A batch that
fails is bisected (`failures.isolation`), and the sweep starts again without the users that caused the failure.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime

from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.decisions import Decisions, decide, write
from sitewright.accounts.account_packages.sweep.failures.isolation import Isolation
from sitewright.accounts.account_packages.sweep.store import Position
from sitewright.kit.db import Transaction
from sitewright.kit.failures import is_database_unavailable
from sitewright.kit.resources import Resources

BATCH = 1000


async def sweep_brand(resources: Resources, brand_ref: int, until: datetime, share: int) -> bool:
    """Applies at most `share` due changes of a brand, unless another worker holds the brand's lock. Returns whether
    more may be due."""
    async with resources.database.connection() as connection:
        if not await due_store.try_lock_brand(connection, brand_ref):
            return False
        try:
            return await _sweep_brand(resources, Turn(brand_ref, until, share))
        finally:
            await due_store.unlock_brand(connection, brand_ref)


@dataclass
class Turn:
    """A brand's turn in a round of the sweep."""

    brand_ref: int
    until: datetime
    remaining: int
    """How many more changes the brand may have in this round."""

    @property
    def is_over(self) -> bool:
        return self.remaining <= 0


class BatchFailed(Exception):
    """At least one of these users caused the error, which is the exception's `__cause__`."""

    def __init__(self, user_refs: Sequence[int]) -> None:
        self.user_refs = user_refs
        super().__init__(f"a batch of {len(user_refs)} users")


@contextmanager
def _as_batch_failure(user_refs: Sequence[int]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if is_database_unavailable(error):
            raise
        raise BatchFailed(user_refs) from error


async def _sweep_brand(resources: Resources, turn: Turn) -> bool:
    isolation = Isolation(resources, turn.brand_ref, turn.until)
    while not turn.is_over and not isolation.is_exhausted:
        try:
            if not await _run_batches(resources, turn):
                return False
        except BatchFailed as failed:
            await isolation.bisect(failed.user_refs)
    return not isolation.is_exhausted


async def _run_batches(resources: Resources, turn: Turn) -> bool:
    """Runs batches from the first due change on. Returns whether there was one."""
    batch = first = await _open(resources, turn, None)
    while batch is not None:
        batch = await _write_and_open_next(resources, turn, batch)
    return first is not None


@dataclass(frozen=True)
class Batch:
    """An open transaction in which users are locked and their changes are decided."""

    brand_ref: int
    tx: Transaction
    transaction: AsyncExitStack
    decided: Decisions
    user_refs: list[int]
    """In the order in which their changes are due."""
    last: Position
    can_continue: bool
    """Whether the next batch may start after `last`: not if a change of this batch is itself due again."""

    async def write(self) -> None:
        with _as_batch_failure(self.user_refs):
            async with self.transaction:
                await write(self.tx, self.brand_ref, self.decided)


async def _open(resources: Resources, turn: Turn, after: Position | None) -> Batch | None:
    async with AsyncExitStack() as stack:
        tx = await stack.enter_async_context(resources.database.transaction(turn.brand_ref))
        await due_store.begin_batch(tx)
        limit = min(BATCH, turn.remaining)
        while due := await due_store.lock_users_with_due(tx, after, turn.until, limit):
            locked, after = due
            with _as_batch_failure(locked):
                rows = await due_store.read_due(tx, turn.until, locked)
                decided = await decide(tx, resources.sealer, turn.brand_ref, rows) if rows else None
            if decided is not None:
                turn.remaining -= len(decided.changes)
                again = any(each.renewed_until and each.renewed_until <= turn.until for each in decided.changes)
                can_continue = not again and len(decided.changes) == len(rows)
                user_refs = list(dict.fromkeys(row["user_ref"] for row in rows))
                return Batch(turn.brand_ref, tx, stack.pop_all(), decided, user_refs, after, can_continue)
    return None


async def _write_and_open_next(resources: Resources, turn: Turn, batch: Batch) -> Batch | None:
    writing = asyncio.create_task(batch.write())
    can_continue = batch.can_continue and not turn.is_over
    try:
        next_batch = await _open(resources, turn, batch.last) if can_continue else None
    except BaseException:
        await writing
        raise
    try:
        await writing
    except BaseException as error:
        if next_batch is not None:
            await next_batch.transaction.__aexit__(type(error), error, error.__traceback__)
        raise
    return next_batch
