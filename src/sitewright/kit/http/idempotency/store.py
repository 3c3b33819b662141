from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class StoredResponse(msgspec.Struct, frozen=True):
    digest: bytes
    response: bytes | None
    """None: it was erased."""


class NewResponse(msgspec.Struct, frozen=True, kw_only=True):
    brand_ref: int | None
    caller: str
    key: str
    digest: bytes
    response: bytes
    kept_at: datetime
    user_ref: int | None
    site_ref: int | None


async def try_lock(tx: Transaction, caller: str, key: str) -> bool:
    """Advisory lock to the end of the transaction; the next statement sees what its last holder committed."""
    return await tx.fetchval("select pg_try_advisory_xact_lock(hashtextextended($1, 0))", f"{caller} {key}") is True


async def find_response(tx: Transaction, caller: str, key: str, not_before: datetime) -> StoredResponse | None:
    row = await tx.fetchrow(
        "select digest, answer from idempotent_answers where brand_ref is not distinct from current_brand()"
        " and caller = $1 and key = $2 and kept_at > $3",
        caller,
        key,
        not_before,
    )
    return StoredResponse(*row) if row else None


async def save_response(tx: Transaction, new: NewResponse) -> None:
    """Replaces an expired response under the same key."""
    await tx.execute(
        "insert into idempotent_answers (brand_ref, caller, key, digest, answer, kept_at, user_ref, site_ref)"
        " values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (caller, key, brand_ref) do update set"
        " digest = excluded.digest, answer = excluded.answer, kept_at = excluded.kept_at,"
        " user_ref = excluded.user_ref, site_ref = excluded.site_ref",
        *msgspec.structs.astuple(new),
    )


async def erase_user(tx: Transaction, user_ref: int) -> None:
    await tx.execute(
        "update idempotent_answers set answer = null where brand_ref = current_brand() and user_ref = $1", user_ref
    )


async def erase_site(tx: Transaction, site_ref: int) -> None:
    await tx.execute(
        "update idempotent_answers set answer = null where brand_ref = current_brand() and site_ref = $1", site_ref
    )


async def prune(tx: Transaction, older_than: datetime, limit: int) -> int:
    """Delete expired responses; returns how many."""
    removed: int = await tx.fetchval("select prune_idempotent_answers($1, $2)", older_than, limit)
    return removed
