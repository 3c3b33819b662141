"""The packages that a brand can assign, as its staff sees them."""

from typing import Literal

import msgspec

from sitewright.catalogue.packages.listing import store
from sitewright.catalogue.packages.listing.store import PackageRow
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest

__all__ = ["PackageFilter", "PackageRow", "State", "list_packages", "list_product_types", "state_of"]

State = Literal["sold", "ended"]


class PackageFilter(msgspec.Struct, frozen=True, kw_only=True):
    name: str | None = None
    product_type: str | None = None
    state: State | None = None


async def list_packages(tx: Transaction, wanted: PackageFilter, page: PageRequest) -> Page[PackageRow]:
    active = None if wanted.state is None else int(wanted.state == "sold")
    return await store.list_packages(tx, wanted.name, wanted.product_type, active, page)


async def list_product_types(tx: Transaction) -> list[str]:
    return await store.list_product_types(tx)


def state_of(active: int) -> State:
    return "sold" if active else "ended"
