"""What an account holder has and had, for the staff of the brand."""

from sitewright.accounts.account_packages.history import store
from sitewright.accounts.account_packages.history.store import ChargeRow, HeldPackage
from sitewright.kit.db import Transaction

__all__ = ["ChargeRow", "HeldPackage", "newest_charges", "newest_packages"]


async def newest_packages(tx: Transaction, user_ref: int, most: int) -> list[HeldPackage]:
    """Current ones first, the subscription before add-ons; then former ones, newest first. Without registrations of
    domains, which `account_domains` lists."""
    return await store.list_packages(tx, user_ref, most)


async def newest_charges(tx: Transaction, user_ref: int, most: int) -> list[ChargeRow]:
    return await store.list_charges(tx, user_ref, most)
