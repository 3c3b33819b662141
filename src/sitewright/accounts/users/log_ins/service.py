"""Lookups and locks of users for logging in, resetting a password and verifying an e-mail address."""

from datetime import datetime

from sitewright.accounts.users import user_events
from sitewright.accounts.users.log_ins import store
from sitewright.accounts.users.log_ins.store import Account, Candidate, Holder
from sitewright.accounts.users.user_events import USER_LOGGED_IN
from sitewright.kit.db import Transaction
from sitewright.kit.text import key_of


async def lock_accounts_by_username(tx: Transaction, username: str, reseller_ref: int | None) -> list[Account]:
    """Users who may get a new password: neither suspended nor deleted. `reseller_ref`: only users of that reseller."""
    return await store.lock_by_username(tx, key_of(username), reseller_ref)


async def lock_accounts_by_email(tx: Transaction, email: str, reseller_ref: int | None) -> list[Account]:
    """The same by address; if there are many, exact matches come first."""
    return await store.lock_by_email(tx, email, key_of(email), reseller_ref)


async def lock_account(tx: Transaction, user_ref: int, reseller_ref: int | None) -> Account | None:
    """A user who is neither deleted nor anonymized."""
    return await store.lock_account(tx, user_ref, reseller_ref)


async def lock_holder(tx: Transaction, user_ref: int) -> Holder | None:
    """Locked, so that a concurrent change of password or state waits and then also ends the new session."""
    return await store.lock_holder(tx, user_ref)


async def find_password_hash(tx: Transaction, user_ref: int) -> str | None:
    """None for a user who has no password."""
    return await store.find_password_hash(tx, user_ref)


async def list_log_in_candidates(connection: Transaction, username: str, brand_ref: int | None) -> list[Candidate]:
    """Users with that username, of one brand or of all."""
    return await store.list_candidates(connection, key_of(username), brand_ref)


async def record_log_in(tx: Transaction, user_ref: int, at: datetime) -> None:
    await store.set_last_login(tx, user_ref, at)
    await user_events.emit(tx, USER_LOGGED_IN, user_ref, at)


async def set_email_verified(tx: Transaction, user_ref: int, now: datetime) -> None:
    """Nothing is reported where the address was verified before."""
    if await store.set_email_verified(tx, user_ref, now):
        await user_events.emit_updated(tx, user_ref, ["emailVerified"], now)
