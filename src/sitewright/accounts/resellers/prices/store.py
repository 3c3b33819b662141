"""Resellers' prices, each with its package's name. Prices of packages that the brand can no longer see are left out."""

from typing import Any

import asyncpg

from sitewright.accounts.resellers.errors import PriceExists
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window

_PRICES = """
select x.ref, x.billing_period_months, x.price, x.offer_price, x.package_ref, x.currency_ref, 'reseller' as type,
       p.name as package_name
  from reseller_prices x join package_terms p on p.ref = x.package_ref
 where x.brand_ref = current_brand() and x.reseller_ref = $1
"""


async def list_prices(tx: Transaction, reseller_ref: int, window: Window) -> list[asyncpg.Record]:
    """At most `window.rows` of them, in order; for `before` the nearest ones."""
    rows = await tx.fetch(
        f"{_PRICES} and ($2::bigint is null or x.ref > $2) and ($3::bigint is null or x.ref < $3)"
        f" order by x.ref {window.direction} limit $4 offset $5",
        reseller_ref,
        *window.position,
    )
    return window.in_order(rows)


async def find_price(tx: Transaction, reseller_ref: int, price_ref: int) -> asyncpg.Record | None:
    return await tx.fetchrow(f"{_PRICES} and x.ref = $2", reseller_ref, price_ref)


async def insert_price(tx: Transaction, reseller_ref: int, columns: dict[str, Any]) -> int:
    names, placeholders = ", ".join(columns), ", ".join(f"${number}" for number in range(2, len(columns) + 2))
    try:
        ref: int = await tx.fetchval(
            f"insert into reseller_prices (brand_ref, reseller_ref, {names})"  # noqa: S608 - fixed names
            f" values (current_brand(), $1, {placeholders}) returning ref",
            reseller_ref,
            *columns.values(),
        )
    except asyncpg.UniqueViolationError:
        raise PriceExists from None
    return ref


async def update_price(tx: Transaction, price_ref: int, columns: dict[str, Any]) -> None:
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, 2))
    try:
        await tx.execute(
            f"update reseller_prices set {changes} where brand_ref = current_brand() and ref = $1",  # noqa: S608
            price_ref,
            *columns.values(),
        )
    except asyncpg.UniqueViolationError:
        raise PriceExists from None


async def delete_price(tx: Transaction, price_ref: int) -> None:
    await tx.execute("delete from reseller_prices where brand_ref = current_brand() and ref = $1", price_ref)
