"""Another master key: everything sealed under former keys is sealed anew, in small batches, while the service serves.

Nothing is kept of how far it came: a value names its key. So whatever stops it, it goes on where it was.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.rotation import store
from sitewright.kit.sealed_columns import SEALED, SealedColumn
from sitewright.kit.sealing import MasterKeyError, Sealer

PAGES_AT_ONCE = 32
LOOK_AGAIN_SECONDS = 1.0
TRANSACTIONS_END_SECONDS = 90.0
MOST_PASSES = 20
Told = Callable[[SealedColumn, int], None]
"""Of how many more values of a column are sealed anew."""


class Outcome(msgspec.Struct):
    done: int = 0
    lost: Counter[str] = msgspec.field(default_factory=Counter)
    """Values that open with no key there is, by column."""
    left: int = 0
    """Values still sealed under former keys."""


async def count(owner: Transaction) -> dict[SealedColumn, dict[bytes, int]]:
    """How many values are sealed under which key."""
    return {column: await store.count_by_key(owner, column) for column in SEALED}


async def count_others(owner: Transaction, sealer: Sealer) -> int:
    """How many values are sealed under another key than the one that seals now."""
    counts = await count(owner)
    return sum(number for each in counts.values() for name, number in each.items() if name != sealer.key_name)


async def seal_anew(owner: Transaction, sealer: Sealer, told: Told = lambda _column, _count: None) -> Outcome:
    """Everything, under the key that seals now; `owner` is outside any transaction.

    A process may have sealed something under the former key just before it learnt of the new one, and not have
    committed it: after the first pass, what is under way then is waited for.
    """
    outcome = Outcome()
    for number in range(MOST_PASSES):
        outcome.lost.clear()
        for column in SEALED:
            await _pass(owner, sealer, column, outcome, told)
        outcome.left = await count_others(owner, sealer) - outcome.lost.total()
        if number > 0 and outcome.left <= 0:
            break
        await _wait_for_transactions(owner)
    return outcome


async def _pass(owner: Transaction, sealer: Sealer, column: SealedColumn, outcome: Outcome, told: Told) -> None:
    """Rows that are written anew move to where there is room, maybe further on: there they are found done."""
    pages = await store.count_pages(owner, column)
    for first in range(0, pages, PAGES_AT_ONCE):
        async with owner.transaction():
            found = await store.hold_others(owner, column, sealer.key_name, first, first + PAGES_AT_ONCE)
            opened = [(each.place, again) for each in found if (again := _again(sealer, column, each)) is not None]
            await store.replace(owner, column, opened)
        outcome.done += len(opened)
        outcome.lost[str(column)] += len(found) - len(opened)
        told(column, len(opened))


def _again(sealer: Sealer, column: SealedColumn, each: store.Sealed) -> bytes | None:
    context = column.context.format(**each.context)
    try:
        return sealer.seal(sealer.unseal(each.value, context), context)
    except MasterKeyError:
        return None


async def _wait_for_transactions(owner: Transaction) -> None:
    await asyncio.sleep(LOOK_AGAIN_SECONDS)
    mark = await store.transaction_id(owner)
    with suppress(TimeoutError):  # what it leaves behind is counted, and found the next time
        async with asyncio.timeout(TRANSACTIONS_END_SECONDS):
            while await store.oldest_transaction(owner) <= mark:  # noqa: ASYNC110 - the database cannot tell
                await asyncio.sleep(LOOK_AGAIN_SECONDS / 10)
