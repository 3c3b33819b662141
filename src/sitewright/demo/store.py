from sitewright.kit.db import Transaction

ADVISORY_LOCK = 7_483_201_955_012_847


async def lock_demo(owner: Transaction) -> None:
    """Take the session-level advisory lock that serializes demo setups; closing the connection releases it."""
    await owner.execute("select pg_advisory_lock($1)", ADVISORY_LOCK)
