"""Locks of the whole installation that belong to no row. A session holds one until it releases it, or ends."""

import enum

from sitewright.kit.db import Transaction


class Lock(enum.IntEnum):
    """PostgreSQL knows advisory locks by number."""

    MIGRATIONS = 7_483_201_955_012_846
    CATALOGUE = 7_483_201_955_012_847
    KEY_ROTATION = 5_190_338_217_664_021
    BRAND_IMPORT = 5_190_338_217_664_022
    MEDIA_MOVE = 5_190_338_217_664_023
    DEMO = 5_190_338_217_664_024


async def try_lock(connection: Transaction, lock: Lock) -> bool:
    """False if another session holds it."""
    return await connection.fetchval("select pg_try_advisory_lock($1)", lock) is True


async def wait_for_lock(connection: Transaction, lock: Lock) -> None:
    await connection.execute("select pg_advisory_lock($1)", lock)


async def wait_in_transaction(tx: Transaction, lock: Lock) -> None:
    """Held until the transaction ends."""
    await tx.execute("select pg_advisory_xact_lock($1)", lock)


async def unlock(connection: Transaction, lock: Lock) -> None:
    await connection.execute("select pg_advisory_unlock($1)", lock)
