from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class SessionUser(msgspec.Struct, frozen=True):
    """An account holder who is logged in."""

    user_ref: int
    first_name: str
    last_name: str
    language_code: str
    reseller_ref: int | None


async def find_session_user(tx: Transaction, session_digest: bytes, now: datetime) -> SessionUser | None:
    """Find the user of an active session, if the user may log in."""
    row = await tx.fetchrow(
        "select u.ref, u.first_name, u.last_name, u.language_code, u.reseller_ref"
        " from session_list s join account_holders u on u.brand_ref = s.brand_ref and u.ref = s.user_ref"
        " where s.brand_ref = current_brand() and s.digest = $1 and s.expires_at > $2"
        " and u.suspended_at is null and u.deleted_at is null and u.anonymised_at is null",
        session_digest,
        now,
    )
    return None if row is None else SessionUser(*row)


async def find_active_user(tx: Transaction, user_ref: int) -> SessionUser | None:
    """A user who may log in."""
    row = await tx.fetchrow(
        "select ref, first_name, last_name, language_code, reseller_ref from account_holders"
        " where brand_ref = current_brand() and ref = $1"
        " and suspended_at is null and deleted_at is null and anonymised_at is null",
        user_ref,
    )
    return None if row is None else SessionUser(*row)


async def reseller_of(tx: Transaction, user_ref: int) -> int | None:
    reseller_ref: int | None = await tx.fetchval(
        "select reseller_ref from account_holders where brand_ref = current_brand() and ref = $1", user_ref
    )
    return reseller_ref
