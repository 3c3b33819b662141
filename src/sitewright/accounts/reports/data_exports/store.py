from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class DataCopy(msgspec.Struct, frozen=True):
    """The newest copy that a user requested. `bytes` and `expires_at` are None until it is finished."""

    brand_ref: int
    ref: int
    created_at: datetime
    attempt: int
    expires_at: datetime | None
    bytes: int | None
    has_failed: bool

    @property
    def is_pending(self) -> bool:
        return self.bytes is None and not self.has_failed


async def find_newest(tx: Transaction, user_ref: int, now: datetime) -> DataCopy | None:
    """Expired ones are not found."""
    row = await tx.fetchrow(
        "select brand_ref, ref, created_at, attempt, expires_at, bytes,"
        " failed_at is not null or (finished_at is null and give_up_at <= $2) from user_reports"
        " where brand_ref = current_brand() and user_ref = $1 and (expires_at is null or expires_at > $2)"
        " order by ref desc limit 1",
        user_ref,
        now,
    )
    return None if row is None else DataCopy(*row)


async def delete_copies(tx: Transaction, user_ref: int) -> None:
    """With their files."""
    await tx.execute("delete from user_reports where brand_ref = current_brand() and user_ref = $1", user_ref)
