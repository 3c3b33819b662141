from sitewright.kit.db import Transaction

ADVISORY_LOCK = 7_483_201_955_012_847


async def lock_demo(owner: Transaction) -> None:
    """Take the session-level advisory lock that serializes demo setups; closing the connection releases it."""
    await owner.execute("select pg_advisory_lock($1)", ADVISORY_LOCK)


async def password_hash_of(tx: Transaction, user_ref: int) -> str | None:
    known: str | None = await tx.fetchval(
        "select password_hash from users where brand_ref = current_brand() and ref = $1", user_ref
    )
    return known


async def set_password_hash(tx: Transaction, user_ref: int, password_hash: str) -> None:
    await tx.execute(
        "update users set password_hash = $2 where brand_ref = current_brand() and ref = $1", user_ref, password_hash
    )
