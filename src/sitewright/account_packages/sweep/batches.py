"""A brand's due changes, batch after batch: while one is written, the next is read and decided.

A batch writes only when the one before it has committed, so changes happen in the order they are due.
"""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime

from sitewright.account_packages.sweep import store as due_store
from sitewright.account_packages.sweep.deciding import Decided, decide, write
from sitewright.account_packages.sweep.store import Place
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources

BATCH = 1000


async def do_changes(resources: Resources, brand_ref: int, until: datetime) -> None:
    """All that is due. Another worker at this brand is left to it."""
    async with resources.database.connection() as connection:
        if not await due_store.take_turn(connection, brand_ref):
            return
        try:
            with resources.aside():
                while await _go_through(resources, brand_ref, until):
                    pass
        finally:
            await due_store.give_turn_back(connection, brand_ref)


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
    last: Place
    leads_on: bool
    """Whether what is due after its last place may come next: not if something of the batch is soon due again."""

    async def write(self) -> None:
        async with self.transaction:
            await write(self.tx, self.brand_ref, self.decided)


async def _open(resources: Resources, brand_ref: int, after: Place | None, until: datetime) -> Batch | None:
    async with AsyncExitStack() as stack:
        tx = await stack.enter_async_context(resources.database.transaction(brand_ref))
        while due := await due_store.lock_users_with_due(tx, after, until, BATCH):
            user_refs, after = due
            rows = await due_store.read_due(tx, until, user_refs)
            if rows:
                decided = await decide(tx, resources.sealer, brand_ref, rows)
                again = any(each.renewed_until and each.renewed_until <= until for each in decided.changes)
                leads_on = not again and len(decided.changes) == len(rows)
                return Batch(brand_ref, tx, stack.pop_all(), decided, after, leads_on)
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
