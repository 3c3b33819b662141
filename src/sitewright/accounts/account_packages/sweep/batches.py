"""A brand's due changes, batch after batch: while one is written, the next is read and decided.

A batch writes only when the one before it has committed, so changes happen in the order they are due. A batch that
fails is done in halves (`failures.isolation`), and the sweep begins anew without the users at fault.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime

from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.deciding import Decided, decide, write
from sitewright.accounts.account_packages.sweep.failures.isolation import Isolation
from sitewright.accounts.account_packages.sweep.store import Place
from sitewright.kit.db import Transaction
from sitewright.kit.failures import is_database_unavailable
from sitewright.kit.resources import Resources

BATCH = 1000


async def do_changes(resources: Resources, brand_ref: int, until: datetime) -> None:
    """All that is due. Another worker at this brand is left to it."""
    async with resources.database.connection() as connection:
        if not await due_store.take_turn(connection, brand_ref):
            return
        try:
            await _do_all(resources, brand_ref, until)
        finally:
            await due_store.give_turn_back(connection, brand_ref)


class BatchFailed(Exception):
    """Its cause is what went wrong; it is the fault of at least one of the users."""

    def __init__(self, user_refs: Sequence[int]) -> None:
        self.user_refs = user_refs
        super().__init__(f"a batch of {len(user_refs)} users")


@contextmanager
def _failing_for(user_refs: Sequence[int]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if is_database_unavailable(error):
            raise
        raise BatchFailed(user_refs) from error


async def _do_all(resources: Resources, brand_ref: int, until: datetime) -> None:
    isolation = Isolation(resources, brand_ref, until)
    await isolation.retry_failed()
    is_more = True
    while is_more and not isolation.is_exhausted:
        try:
            is_more = await _go_through(resources, brand_ref, until)
        except BatchFailed as failed:
            await isolation.do_apart(failed.user_refs)


async def _go_through(resources: Resources, brand_ref: int, until: datetime) -> bool:
    """From the first that is due; whether there was one."""
    batch = first = await _open(resources, brand_ref, None, until)
    while batch is not None:
        batch = await _write_and_open_next(resources, batch, until)
    return first is not None


@dataclass(frozen=True)
class Batch:
    """A transaction in which users are locked and changes decided."""

    brand_ref: int
    tx: Transaction
    transaction: AsyncExitStack
    decided: Decided
    user_refs: list[int]
    """In the order in which something of theirs is due."""
    last: Place
    leads_on: bool
    """Whether what is due after its last place may come next: not if something of the batch is soon due again."""

    async def write(self) -> None:
        with _failing_for(self.user_refs):
            async with self.transaction:
                await write(self.tx, self.brand_ref, self.decided)


async def _open(resources: Resources, brand_ref: int, after: Place | None, until: datetime) -> Batch | None:
    async with AsyncExitStack() as stack:
        tx = await stack.enter_async_context(resources.database.transaction(brand_ref))
        while due := await due_store.lock_users_with_due(tx, after, until, BATCH):
            locked, after = due
            with _failing_for(locked):
                rows = await due_store.read_due(tx, until, locked)
                decided = await decide(tx, resources.sealer, brand_ref, rows) if rows else None
            if decided is not None:
                again = any(each.renewed_until and each.renewed_until <= until for each in decided.changes)
                leads_on = not again and len(decided.changes) == len(rows)
                user_refs = list(dict.fromkeys(row["user_ref"] for row in rows))
                return Batch(brand_ref, tx, stack.pop_all(), decided, user_refs, after, leads_on)
    return None


async def _write_and_open_next(resources: Resources, batch: Batch, until: datetime) -> Batch | None:
    writing = asyncio.create_task(batch.write())
    try:
        following = await _open(resources, batch.brand_ref, batch.last, until) if batch.leads_on else None
    except BaseException:
        await writing
        raise
    try:
        await writing
    except BaseException as error:
        if following is not None:
            await following.transaction.__aexit__(type(error), error, error.__traceback__)
        raise
    return following
