from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Claimed(msgspec.Struct, frozen=True):
    user_ref: int
    site_ref: int | None


async def insert_token(
    tx: Transaction,
    digest: bytes,
    kind: str,
    brand_ref: int,
    user_ref: int,
    site_ref: int | None,
    created_at: datetime,
    expires_at: datetime,
) -> None:
    await tx.execute(
        "insert into one_time_tokens (digest, kind, brand_ref, user_ref, site_ref, created_at, expires_at)"
        " values ($1, $2, $3, $4, $5, $6, $7)",
        digest,
        kind,
        brand_ref,
        user_ref,
        site_ref,
        created_at,
        expires_at,
    )


async def claim_token(tx: Transaction, digest: bytes, kind: str, user_ref: int | None, now: datetime) -> Claimed | None:
    row = await tx.fetchrow(
        "update one_time_tokens set used_at = $4 where brand_ref = current_brand() and digest = $1 and kind = $2"
        " and ($3::bigint is null or user_ref = $3) and used_at is null and expires_at > $4"
        " returning user_ref, site_ref",
        digest,
        kind,
        user_ref,
        now,
    )
    return None if row is None else Claimed(*row)


async def issued_since(tx: Transaction, kind: str, user_refs: Sequence[int], since: datetime) -> dict[int, int]:
    """How many tokens of a kind were issued to each of the users."""
    rows = await tx.fetch(
        "select user_ref, count(*) from one_time_tokens where brand_ref = current_brand() and user_ref = any($1)"
        " and kind = $2 and created_at > $3 group by user_ref",
        user_refs,
        kind,
        since,
    )
    return {row["user_ref"]: row["count"] for row in rows}


async def void_tokens(tx: Transaction, user_ref: int, kinds: Sequence[str], now: datetime) -> None:
    await tx.execute(
        "update one_time_tokens set used_at = $3 where brand_ref = current_brand() and user_ref = $1"
        " and kind = any($2) and used_at is null",
        user_ref,
        kinds,
        now,
    )


async def delete_tokens(tx: Transaction, user_ref: int) -> None:
    await tx.execute("delete from one_time_tokens where brand_ref = current_brand() and user_ref = $1", user_ref)


async def delete_sessions(tx: Transaction, user_ref: int) -> None:
    await tx.execute("delete from sessions where brand_ref = current_brand() and user_ref = $1", user_ref)


async def prune(connection: Transaction, older_than: datetime) -> None:
    await connection.execute("select prune_given_secrets($1)", older_than)
