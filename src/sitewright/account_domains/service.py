"""The rules of account domains. A domain's holder is locked before the domain."""

from sitewright.account_domains import store
from sitewright.account_domains.errors import AccountDomainNotFound
from sitewright.account_domains.store import AccountDomain
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.users import service as users
from sitewright.users.errors import UserNotFound

__all__ = ["AccountDomain", "find_account_domain", "list_account_domains"]


async def find_account_domain(
    tx: Transaction, caller: Caller, user_ref: int, account_domain_ref: int, *, lock: bool = False
) -> AccountDomain:
    """A user's account domain. `lock`: nobody else changes it, or its holder, meanwhile.

    Raises UserNotFound for a user the caller may not touch, and AccountDomainNotFound for a domain that is not theirs.
    """
    await users.find_user(tx, caller, user_ref, lock=lock)
    if lock:
        await store.lock(tx, account_domain_ref)
    found = await store.find(tx, account_domain_ref)
    if found is None or found.deleted or found.user_ref != user_ref:
        raise AccountDomainNotFound
    return found


async def find_by_ref(tx: Transaction, caller: Caller, account_domain_ref: int, *, lock: bool = False) -> AccountDomain:
    """An account domain whose holder the caller may touch, and is not deleted."""
    found = await store.find(tx, account_domain_ref)
    if found is None:
        raise AccountDomainNotFound
    try:
        return await find_account_domain(tx, caller, found.user_ref, account_domain_ref, lock=lock)
    except UserNotFound:
        raise AccountDomainNotFound from None


async def list_account_domains(tx: Transaction, user_ref: int) -> list[AccountDomain]:
    """A user's domains that are not deleted, first registered first; also those that have expired."""
    return await store.list_of_user(tx, user_ref)
