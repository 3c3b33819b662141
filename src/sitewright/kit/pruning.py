"""Retention: deletes old rows in batches, in short transactions, so that other work does not wait."""

from collections.abc import Awaitable, Callable

from sitewright.kit.db import Database, Transaction

BATCH_SIZE = 5000
"""Few enough that other statements hardly wait, many enough that the transactions themselves do not count."""
Prune = Callable[[Transaction, int], Awaitable[int]]
"""Deletes at most the given number of rows of each table, the oldest first, and returns how many."""


async def prune_in_batches(database: Database, prune: Prune) -> None:
    """Repeat until no old rows are left."""
    removed = BATCH_SIZE
    while removed >= BATCH_SIZE:
        async with database.transaction(None) as tx:
            removed = await prune(tx, BATCH_SIZE)
