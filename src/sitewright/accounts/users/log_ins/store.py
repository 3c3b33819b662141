"""Rows of users are locked before their tokens and sessions are touched, so that transactions cannot deadlock."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Account(msgspec.Struct, frozen=True):
    """A user who may be mailed a link."""

    brand_ref: int
    ref: int
    username: str
    email: str
    email_key: str


class Candidate(msgspec.Struct, frozen=True):
    """An account holder with the requested username."""

    brand_ref: int
    user_ref: int
    password_hash: str | None


class Holder(msgspec.Struct, frozen=True):
    user_ref: int
    language_code: str
    password_hash: str | None
    is_suspended: bool
    is_deleted: bool
    """Or anonymized."""
    reseller_ref: int | None


_LOCKED_ACCOUNTS = (
    "select u.brand_ref, u.ref, u.username, u.email, u.email_key from users u"
    " where u.brand_ref = current_brand() and u.deleted_at is null and u.anonymised_at is null"
    " and ($2::bigint is null or u.reseller_ref = $2) and {condition}"
    " order by u.ref for no key update"
)
_BY_USERNAME = _LOCKED_ACCOUNTS.format(condition="u.username_key = $1 and u.suspended_at is null")
_BY_EMAIL = _LOCKED_ACCOUNTS.format(
    condition="u.email_key = $1 and u.suspended_at is null and u.ref in ("
    "select x.ref from users x where x.brand_ref = current_brand() and x.email_key = $1 and x.deleted_at is null"
    " and x.anonymised_at is null and x.suspended_at is null and ($2::bigint is null or x.reseller_ref = $2)"
    " order by x.email = $3 desc, x.ref limit 20)",
)
"""Twenty accounts at most, exact spellings first, so that accounts whose addresses only fold to the same key cannot
crowd out the exact one. Rows are always locked in the order of refs, so that jobs cannot deadlock."""
_BY_REF = _LOCKED_ACCOUNTS.format(condition="u.ref = $1")


async def lock_by_username(tx: Transaction, username_key: str, reseller_ref: int | None) -> list[Account]:
    return [Account(*row) for row in await tx.fetch(_BY_USERNAME, username_key, reseller_ref)]


async def lock_by_email(tx: Transaction, email: str, email_key: str, reseller_ref: int | None) -> list[Account]:
    return [Account(*row) for row in await tx.fetch(_BY_EMAIL, email_key, reseller_ref, email)]


async def lock_account(tx: Transaction, user_ref: int, reseller_ref: int | None) -> Account | None:
    row = await tx.fetchrow(_BY_REF, user_ref, reseller_ref)
    return None if row is None else Account(*row)


async def lock_holder(tx: Transaction, user_ref: int) -> Holder | None:
    row = await tx.fetchrow(
        "select ref, language_code, password_hash, suspended_at is not null,"
        " deleted_at is not null or anonymised_at is not null, reseller_ref"
        " from users where brand_ref = current_brand() and ref = $1 for no key update",
        user_ref,
    )
    return None if row is None else Holder(*row)


async def find_password_hash(tx: Transaction, user_ref: int) -> str | None:
    password_hash: str | None = await tx.fetchval(
        "select password_hash from users where brand_ref = current_brand() and ref = $1", user_ref
    )
    return password_hash


async def list_candidates(connection: Transaction, username_key: str, brand_ref: int | None) -> list[Candidate]:
    rows = await connection.fetch("select * from log_in_candidates($1, $2)", username_key, brand_ref)
    return [Candidate(*row) for row in rows]


async def set_last_login(tx: Transaction, user_ref: int, at: datetime) -> None:
    await tx.execute("update users set last_login_at = $2 where brand_ref = current_brand() and ref = $1", user_ref, at)


async def set_email_verified(tx: Transaction, user_ref: int, now: datetime) -> bool:
    """Returns whether it was not verified before. The row is locked."""
    was_verified = await tx.fetchval(
        "update users u set email_verified_at = $2, updated_at = $2 from users o"
        " where u.brand_ref = current_brand() and u.ref = $1 and o.brand_ref = u.brand_ref and o.ref = u.ref"
        " returning o.email_verified_at is not null",
        user_ref,
        now,
    )
    return was_verified is False
