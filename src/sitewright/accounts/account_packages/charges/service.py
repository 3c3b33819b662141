"""What the customers of a brand were charged, as its staff sees it."""

from datetime import datetime

import msgspec

from sitewright.accounts.account_packages.charges import store
from sitewright.accounts.account_packages.charges.store import ListedCharge
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest

__all__ = ["ChargeFilter", "ListedCharge", "list_charges"]


class ChargeFilter(msgspec.Struct, frozen=True, kw_only=True):
    """All given filters must match. `currency` is a code."""

    user_ref: int | None = None
    package_ref: int | None = None
    currency: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""


async def list_charges(tx: Transaction, wanted: ChargeFilter, page: PageRequest) -> Page[ListedCharge]:
    return await store.list_charges(tx, msgspec.structs.asdict(wanted), page)
