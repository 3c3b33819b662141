"""Rows of users are locked before their tokens are touched, here as where users are changed: so nobody waits in a
circle, and tokens are counted by one at a time."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Account(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    username: str
    email: str
    email_key: str


_LOCKED_ACCOUNTS = (
    "select u.brand_ref, u.ref, u.username, u.email, u.email_key from users u{joined}"
    " where u.brand_ref = current_brand() and u.deleted_at is null and u.anonymised_at is null and {condition}"
    " order by u.ref for no key update of u"
)
_MAY_RESET = "u.suspended_at is null and ($2::bigint is null or u.reseller_ref = $2)"
_BY_USERNAME = _LOCKED_ACCOUNTS.format(joined="", condition=f"u.username_key = $1 and {_MAY_RESET}")
_BY_EMAIL = _LOCKED_ACCOUNTS.format(
    joined="",
    condition=f"u.email_key = $1 and {_MAY_RESET} and u.ref in ("  # noqa: S608 - fixed parts
    "select x.ref from users x where x.brand_ref = current_brand() and x.email_key = $1 and x.deleted_at is null"
    " and x.anonymised_at is null and x.suspended_at is null and ($2::bigint is null or x.reseller_ref = $2)"
    " order by x.email = $3 desc, x.ref limit 20)",
)
"""Twenty accounts at most, exact spellings first, so that nobody crowds out an account with addresses that only fold
to the same key. Rows are locked in the order of refs, whatever was typed, so that jobs cannot deadlock."""
_BY_TOKEN = _LOCKED_ACCOUNTS.format(
    joined=" join one_time_tokens t on t.brand_ref = u.brand_ref and t.user_ref = u.ref",
    condition="t.brand_ref = current_brand() and t.digest = $1 and ($2::bigint is null or u.reseller_ref = $2)",
)


async def accounts_by_username(tx: Transaction, username_key: str, reseller_ref: int | None) -> list[Account]:
    return [Account(*row) for row in await tx.fetch(_BY_USERNAME, username_key, reseller_ref)]


async def accounts_by_email(tx: Transaction, email: str, email_key: str, reseller_ref: int | None) -> list[Account]:
    """Accounts whose address has this key; where there are many, those with exactly this address go first."""
    return [Account(*row) for row in await tx.fetch(_BY_EMAIL, email_key, reseller_ref, email)]


async def account_of_token(tx: Transaction, digest: bytes, reseller_ref: int | None) -> Account | None:
    row = await tx.fetchrow(_BY_TOKEN, digest, reseller_ref)
    return None if row is None else Account(*row)


async def nth_newest_token(tx: Transaction, kind: str, user_ref: int, nth: int, since: datetime) -> datetime | None:
    """When the nth newest of the user's tokens of a kind was issued, of those issued since."""
    issued: datetime | None = await tx.fetchval(
        "select created_at from one_time_tokens where brand_ref = current_brand() and user_ref = $1 and kind = $2"
        " and created_at > $3 order by created_at desc offset $4 - 1 limit 1",
        user_ref,
        kind,
        since,
        nth,
    )
    return issued


async def set_email_verified(tx: Transaction, user_ref: int, now: datetime) -> None:
    await tx.execute(
        "update users set email_verified_at = $2, updated_at = $2 where brand_ref = current_brand() and ref = $1",
        user_ref,
        now,
    )
