"""The resellers of a brand as its staff sees them, each with the number of its customers."""

import msgspec

from sitewright.accounts.resellers import store as resellers
from sitewright.accounts.resellers.listing import store
from sitewright.accounts.resellers.listing.store import ResellerRow
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest

__all__ = ["ResellerFilter", "ResellerRow", "count_customers", "list_resellers"]


class ResellerFilter(msgspec.Struct, frozen=True, kw_only=True):
    """`search`: the beginning of one of its names, or its ref."""

    search: str | None = None
    is_enabled: bool | None = None


async def list_resellers(tx: Transaction, wanted: ResellerFilter, page: PageRequest) -> Page[ResellerRow]:
    searched = None if wanted.search is None else wanted.search.strip().lower()
    return await store.list_resellers(tx, searched, wanted.is_enabled, page)


async def count_customers(tx: Transaction, reseller_ref: int) -> int:
    """Users that are not deleted."""
    return await resellers.count_users(tx, reseller_ref)
