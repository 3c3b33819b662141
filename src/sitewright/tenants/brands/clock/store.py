from datetime import datetime, timedelta

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction


class BrandClock(msgspec.Struct, frozen=True):
    test_mode: bool
    offset: timedelta
    """How far it is ahead of the service's clock."""
    advancing_from: datetime | None
    advancing_to: datetime | None
    """Set while the clock is being moved."""
    waited_until: datetime | None
    """Set while a call waits for the end of that."""
    zone: str

    @property
    def now(self) -> datetime:
        return clock.now() + self.offset


_READ = """
select test_mode, clock_offset, clock_advancing_from, clock_advancing_to, clock_waited_until, time_zone
  from brands where brand_ref = current_brand()
"""


async def read(tx: Transaction, *, lock: bool) -> BrandClock | None:
    row = await tx.fetchrow(_READ + " for no key update" if lock else _READ)
    return None if row is None else BrandClock(*row)


async def set_advance(tx: Transaction, since: datetime, until: datetime) -> None:
    await tx.execute(
        "update brands set clock_advancing_from = $1, clock_advancing_to = $2 where brand_ref = current_brand()",
        since,
        until,
    )


async def set_waited(tx: Transaction, until: datetime | None) -> None:
    await tx.execute("update brands set clock_waited_until = $1 where brand_ref = current_brand()", until)


async def raise_offset(tx: Transaction, offset: timedelta) -> None:
    await tx.execute(
        "update brands set clock_offset = greatest(clock_offset, $1) where brand_ref = current_brand()", offset
    )


async def finish(tx: Transaction) -> None:
    await tx.execute(
        "update brands set clock_advancing_from = null, clock_advancing_to = null where brand_ref = current_brand()"
    )


async def advancing_brands(connection: Transaction) -> list[int]:
    rows = await connection.fetch("select brands_with_advancing_clock() as brand_ref")
    return [row["brand_ref"] for row in rows]
