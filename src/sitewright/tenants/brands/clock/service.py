"""Reads and moves the clock of the transaction's brand."""

from datetime import datetime

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.tenants.brands.clock import store
from sitewright.tenants.brands.clock.store import BrandClock
from sitewright.tenants.brands.errors import BrandNotFound

__all__ = ["BrandClock", "advancing_brands", "begin", "finish", "move_to", "now", "read", "stop_waiting", "wait_until"]


async def now(tx: Transaction) -> datetime:
    """The brand's time, used by trials, periods and reports; tokens, limits and outboxes use that of the service."""
    return clock.now() + (await read(tx)).offset


async def read(tx: Transaction, *, lock: bool = False) -> BrandClock:
    found = await store.read(tx, lock=lock)
    if found is None:
        raise BrandNotFound
    return found


async def begin(tx: Transaction, since: datetime, until: datetime) -> None:
    """The worker moves the clock from now on. The clock is locked."""
    await store.set_advance(tx, since, until)


async def wait_until(tx: Transaction, at: datetime) -> None:
    """Until then, a call waits for the end of the advance. The clock is locked."""
    await store.set_waited(tx, at)


async def stop_waiting(tx: Transaction) -> None:
    await store.set_waited(tx, None)


async def move_to(tx: Transaction, at: datetime) -> None:
    """A step of an advance: the clock never moves backwards."""
    await store.raise_offset(tx, at - clock.now())


async def finish(tx: Transaction) -> None:
    """The clock is where the advance leads."""
    await store.finish(tx)


async def advancing_brands(connection: Transaction) -> list[int]:
    """The brands whose clock is being moved."""
    return await store.advancing_brands(connection)
