from sitewright.kit.db import Transaction

TURNS = 7_483_201_955_012_847


async def take_turn(owner: Transaction) -> None:
    """Wait until no other connection has its turn; it ends with the connection."""
    await owner.execute("select pg_advisory_lock($1)", TURNS)
