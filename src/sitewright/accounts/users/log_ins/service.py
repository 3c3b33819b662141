"""What logging in, resetting a password and verifying an e-mail address need of users."""

from datetime import datetime

from sitewright.accounts.users.log_ins import store
from sitewright.accounts.users.log_ins.store import Account, Candidate, Holder
from sitewright.kit.db import Transaction
from sitewright.kit.text import key_of


async def lock_accounts_by_username(tx: Transaction, username: str, reseller_ref: int | None) -> list[Account]:
    """Users who may get a new password: neither suspended nor deleted. `reseller_ref`: only its own users."""
    return await store.lock_by_username(tx, key_of(username), reseller_ref)


async def lock_accounts_by_email(tx: Transaction, email: str, reseller_ref: int | None) -> list[Account]:
    """The same by address; where there are many, those with exactly this address go first."""
    return await store.lock_by_email(tx, email, key_of(email), reseller_ref)


async def lock_account(tx: Transaction, user_ref: int, reseller_ref: int | None) -> Account | None:
    """A user who is neither deleted nor anonymized."""
    return await store.lock_account(tx, user_ref, reseller_ref)


async def lock_holder(tx: Transaction, user_ref: int) -> Holder | None:
    """Transactions that change the password or the state of the user wait, and then find the session that begins."""
    return await store.lock_holder(tx, user_ref)


async def list_log_in_candidates(connection: Transaction, username: str, brand_ref: int | None) -> list[Candidate]:
    """Users of that name, of one brand or of all."""
    return await store.list_candidates(connection, key_of(username), brand_ref)


async def note_log_in(tx: Transaction, user_ref: int, at: datetime) -> None:
    await store.set_last_login(tx, user_ref, at)


async def set_email_verified(tx: Transaction, user_ref: int, now: datetime) -> None:
    await store.set_email_verified(tx, user_ref, now)
