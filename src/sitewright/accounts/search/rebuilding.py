"""Rebuilds search terms: of users that an earlier release created, or when an operator asks for it.

Batch by batch, each in a transaction of its own that notes how far it got: interrupted, the next one continues.
"""

from collections.abc import Callable

import msgspec

from sitewright.accounts.search import store
from sitewright.accounts.search.hooks import (
    TermsOfResellers,
    TermsOfUsers,
    reseller_terms_collected,
    user_terms_collected,
)
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import Schedule
from sitewright.kit.resources import Resources

BATCH = 500
"""Users that a transaction locks and corrects."""


class Batch(msgspec.Struct, frozen=True):
    """What one batch did. `last_ref`: None after the last one."""

    last_ref: int | None
    users: int
    corrected: int
    """Terms that were missing or not true."""


class Rebuilt(msgspec.Struct):
    users: int = 0
    corrected: int = 0


async def rebuild_all(resources: Resources, on_progress: Callable[[int], None] = lambda _users: None) -> Rebuilt:
    """Rebuild the terms of every brand, from the beginning."""
    async with resources.database.connection() as connection:
        await store.restart_rebuilds(connection)
    return await continue_rebuilds(resources, on_progress)


async def continue_rebuilds(resources: Resources, on_progress: Callable[[int], None] = lambda _users: None) -> Rebuilt:
    """Complete the rebuilds that are under way."""
    total = Rebuilt()
    async with resources.database.connection() as connection:
        brands = await store.brands_to_index(connection)
    for brand_ref in brands:
        is_complete = False
        while not is_complete:
            async with resources.database.transaction(brand_ref) as tx:
                batch = await _rebuild_next(tx)
            total.users += batch.users
            total.corrected += batch.corrected
            on_progress(batch.users)
            is_complete = batch.last_ref is None
    return total


async def _rebuild_next(tx: Transaction) -> Batch:
    after_ref = await store.rebuild_position(tx)
    if after_ref is None:
        return Batch(None, 0, 0)
    corrected = await correct_resellers(tx) if after_ref == 0 else 0
    batch = await correct_users(tx, after_ref)
    await store.set_rebuild_position(tx, batch.last_ref)
    return msgspec.structs.replace(batch, corrected=batch.corrected + corrected)


async def correct_users(tx: Transaction, after_ref: int) -> Batch:
    """Compares the stored terms of the next users with those of their texts, and writes what differs.

    The stored terms are read first: those of a site that is created meanwhile are then either left alone or confirmed.
    """
    refs = await store.lock_next_users(tx, after_ref, BATCH)
    stored = await store.stored_terms(tx, refs)
    true = TermsOfUsers(refs)
    await user_terms_collected.notify(tx, true)
    missing, surplus = true.terms - stored.terms, stored.terms - true.terms
    await store.correct_terms(tx, missing, surplus)
    return Batch(refs[-1] if len(refs) == BATCH else None, len(refs), len(missing) + len(surplus))


async def correct_resellers(tx: Transaction) -> int:
    stored, true = await store.stored_reseller_terms(tx), TermsOfResellers()
    await reseller_terms_collected.notify(tx, true)
    missing, surplus = true.terms - stored.terms, stored.terms - true.terms
    await store.correct_reseller_terms(tx, missing, surplus)
    return len(missing) + len(surplus)


async def _continue(resources: Resources) -> None:
    await continue_rebuilds(resources)


SCHEDULES = [Schedule("index-users", "* * * * *", _continue)]
