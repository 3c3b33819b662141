from sitewright.kit.db import Transaction

CLOCK_LOCKS = 58_614


async def try_lock_clock(connection: Transaction, brand_ref: int) -> bool:
    """Session-level advisory lock: one worker at a time moves a brand's clock. Released with the connection at the
    latest."""
    return await connection.fetchval("select pg_try_advisory_lock($1, hashint8($2))", CLOCK_LOCKS, brand_ref) is True


async def unlock_clock(connection: Transaction, brand_ref: int) -> None:
    await connection.execute("select pg_advisory_unlock($1, hashint8($2))", CLOCK_LOCKS, brand_ref)
