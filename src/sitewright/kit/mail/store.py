from collections.abc import Sequence
from datetime import datetime

from sitewright.kit.db import Transaction


async def insert_mails(
    tx: Transaction,
    brand_ref: int,
    at: datetime,
    user_refs: Sequence[int],
    kinds: Sequence[str],
    facts: Sequence[bytes],
) -> None:
    await tx.execute(
        "insert into mails (brand_ref, created_at, next_attempt_at, user_ref, kind, facts)"
        " select $1, $2, $2, user_ref, kind, facts"
        " from unnest($3::bigint[], $4::text[], $5::bytea[]) wanted (user_ref, kind, facts)",
        brand_ref,
        at,
        user_refs,
        kinds,
        facts,
    )


async def delete_mails(tx: Transaction, user_ref: int) -> None:
    await tx.execute("delete from mails where brand_ref = current_brand() and user_ref = $1", user_ref)
