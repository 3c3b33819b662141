"""Packages as they are read. They are written by the catalogue alone.

A package of another brand is seen only when it is global, and is then told as the asking brand's own.
"""

from collections.abc import Collection, Sequence

import asyncpg

from sitewright.kit.db import Transaction

PACKAGES = """
select p.*, b.brand_ref as asking_brand_ref, b.name as brand_name,
       c.alpha_code as currency_code, c.name as currency_name, c.name || ' (' || c.alpha_code || ')' as currency_title,
       g.name as template_group_name, to_jsonb(d) as domain_product, to_jsonb(s) as product_supplier
  from packages p
  join brands b on b.brand_ref = current_brand()
  join currencies c on c.ref = p.default_currency_ref
  left join template_groups g on g.ref = p.template_group_ref
  left join domain_products d on d.package_ref = p.ref
  left join product_suppliers s on s.ref = d.supplier_ref
"""


async def list_packages(tx: Transaction, active: int | None) -> list[asyncpg.Record]:
    return await tx.fetch(f"{PACKAGES} where $1::int is null or p.active = $1 order by p.display_order, p.ref", active)


async def find_package(tx: Transaction, package_ref: int) -> asyncpg.Record | None:
    return await tx.fetchrow(f"{PACKAGES} where p.ref = $1", package_ref)


async def find_packages(tx: Transaction, package_refs: Collection[int]) -> list[asyncpg.Record]:
    return await tx.fetch(f"{PACKAGES} where p.ref = any($1)", package_refs)


async def list_prices(tx: Transaction, package_refs: Sequence[int]) -> list[asyncpg.Record]:
    return await tx.fetch(
        "select ref, billing_period_months, price, offer_price, package_ref, currency_ref from package_prices"
        " where package_ref = any($1) order by package_ref, currency_ref, billing_period_months",
        package_refs,
    )


async def list_currencies(tx: Transaction) -> list[asyncpg.Record]:
    return await tx.fetch("select * from currencies")
