"""Rotation of the master key: re-encrypts all sealed values in small batches, while the service runs.

No progress is stored: every value names its key. So an interrupted rotation continues where it stopped.
All functions skip values that nobody needs any more (`SealedColumn.unneeded_since`).
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.rotation import store
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.kit.sealing import MasterKeyError, Sealer

PAGES_AT_ONCE = 32
LOOK_AGAIN_SECONDS = 1.0
TRANSACTIONS_END_SECONDS = 90.0
MOST_PASSES = 20
OnProgress = Callable[[SealedColumn, int], None]
"""Called with the number of values of a column that a batch has re-encrypted."""


class Outcome(msgspec.Struct):
    done: int = 0
    lost: Counter[str] = msgspec.field(default_factory=Counter)
    """Values that none of the keys decrypts, by column."""
    left: int = 0
    """Values still encrypted with former keys."""


async def count(owner: Transaction, columns: Sequence[SealedColumn]) -> dict[SealedColumn, dict[bytes, int]]:
    """How many values are encrypted with which key."""
    return {column: await store.count_by_key(owner, column) for column in columns}


async def count_others(owner: Transaction, sealer: Sealer, columns: Sequence[SealedColumn]) -> int:
    """How many values are encrypted with another key than the active one."""
    counts = await count(owner, columns)
    return sum(number for each in counts.values() for name, number in each.items() if name != sealer.key_name)


async def count_former(owner: Transaction, sealer: Sealer, columns: Sequence[SealedColumn]) -> int:
    """How many values are encrypted with a former key that is there."""
    former = sealer.key_names[1:]
    counts = await count(owner, columns)
    return sum(each.get(name, 0) for each in counts.values() for name in former)


async def count_lost(owner: Transaction, sealer: Sealer, columns: Sequence[SealedColumn]) -> dict[SealedColumn, int]:
    """How many values name a key that is not there, of the columns that have any."""
    counts = {
        column: sum(number for name, number in each.items() if name not in sealer.key_names)
        for column, each in (await count(owner, columns)).items()
    }
    return {column: number for column, number in counts.items() if number}


async def renew_lost(owner: Transaction, sealer: Sealer, columns: Sequence[SealedColumn]) -> list[str]:
    """Make the service replace the values of lost keys, as far as it can by itself; returns what is to be kept."""
    renewals = [(column, column.renewal) for column in columns if column.renewal is not None]
    kept = [await store.renew_lost(owner, column, renewal, sealer.key_names) for column, renewal in renewals]
    return [text for each in kept for text in each]


async def check_all(owner: Transaction, sealer: Sealer, columns: Sequence[SealedColumn]) -> tuple[int, Counter[str]]:
    """Decrypt every value; returns how many there are, and how many of each column no key decrypts.

    Rows are locked page by page: for a database that nobody else uses.
    """
    total, unreadable = 0, Counter[str]()
    for column in columns:
        for first in range(0, await store.count_pages(owner, column), PAGES_AT_ONCE):
            for each in await store.lock_others(owner, column, b"", first, first + PAGES_AT_ONCE):
                total += 1
                unreadable[str(column)] += _opened(sealer, column, each) is None
    return total, +unreadable


async def reencrypt(
    owner: Transaction,
    sealer: Sealer,
    columns: Sequence[SealedColumn],
    on_progress: OnProgress = lambda _column, _count: None,
) -> Outcome:
    """Re-encrypt all values with the active key; `owner` is outside any transaction.

    A process may have encrypted something with the former key just before it learned of the new one, in a transaction
    that is still open: after each pass, the transactions of that moment are waited for.
    """
    outcome = Outcome()
    for number in range(MOST_PASSES):
        outcome.lost.clear()
        for column in columns:
            await _pass(owner, sealer, column, outcome, on_progress)
        outcome.left = await count_others(owner, sealer, columns) - outcome.lost.total()
        if number > 0 and outcome.left <= 0:
            break
        await _wait_for_transactions(owner)
    return outcome


async def _pass(
    owner: Transaction, sealer: Sealer, column: SealedColumn, outcome: Outcome, on_progress: OnProgress
) -> None:
    """An updated row may move to a later page; there it is found to be re-encrypted already."""
    pages = await store.count_pages(owner, column)
    for first in range(0, pages, PAGES_AT_ONCE):
        async with owner.transaction():
            found = await store.lock_others(owner, column, sealer.key_name, first, first + PAGES_AT_ONCE)
            opened = [
                (each.place, value) for each in found if (value := _reencrypted(sealer, column, each)) is not None
            ]
            await store.replace(owner, column, opened)
        outcome.done += len(opened)
        outcome.lost[str(column)] += len(found) - len(opened)
        on_progress(column, len(opened))


def _reencrypted(sealer: Sealer, column: SealedColumn, each: store.Sealed) -> bytes | None:
    opened = _opened(sealer, column, each)
    return None if opened is None else sealer.seal(opened, column.context.format(**each.context))


def _opened(sealer: Sealer, column: SealedColumn, each: store.Sealed) -> bytes | None:
    """None if no key decrypts it."""
    try:
        return sealer.unseal(each.value, column.context.format(**each.context))
    except MasterKeyError:
        return None


async def _wait_for_transactions(owner: Transaction) -> None:
    await asyncio.sleep(LOOK_AGAIN_SECONDS)
    mark = await store.transaction_id(owner)
    with suppress(TimeoutError):  # what is left is counted, and found by the next pass
        async with asyncio.timeout(TRANSACTIONS_END_SECONDS):
            while await store.oldest_transaction(owner) <= mark:  # noqa: ASYNC110 - nothing notifies
                await asyncio.sleep(LOOK_AGAIN_SECONDS / 10)
