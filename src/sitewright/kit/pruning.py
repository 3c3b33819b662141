"""Pruning by age, in small transactions, so that nobody waits for it."""

from collections.abc import Awaitable, Callable

from sitewright.kit.db import Database, Transaction

AT_ONCE = 5000
Prune = Callable[[Transaction, int], Awaitable[int]]
"""Removes at most so many rows, and answers how many."""


async def prune_in_batches(database: Database, prune: Prune) -> None:
    """Until nothing is left to remove."""
    removed = AT_ONCE
    while removed >= AT_ONCE:
        async with database.transaction(None) as tx:
            removed = await prune(tx, AT_ONCE)
