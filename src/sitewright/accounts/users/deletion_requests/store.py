from datetime import datetime

from sitewright.kit.db import Transaction


async def requested_at(tx: Transaction, user_ref: int) -> datetime | None:
    at: datetime | None = await tx.fetchval(
        "select deletion_requested_at from users where brand_ref = current_brand() and ref = $1", user_ref
    )
    return at


async def set_requested(tx: Transaction, user_ref: int, at: datetime) -> bool:
    """Whether it was not requested before."""
    changed = await tx.execute(
        "update users set deletion_requested_at = $2, updated_at = $2"
        " where brand_ref = current_brand() and ref = $1 and deletion_requested_at is null",
        user_ref,
        at,
    )
    return changed == "UPDATE 1"
