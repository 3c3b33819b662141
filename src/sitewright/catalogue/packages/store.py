"""Read packages; only `catalogue.file` writes them.

A package of another brand is visible only when it is global, and is then presented as the calling brand's own.
"""

from collections.abc import Collection

import asyncpg

from sitewright.catalogue.packages.schemas import PackageFilter
from sitewright.kit.db import Transaction

PACKAGES = """
select p.*, b.brand_ref as asking_brand_ref, b.name as brand_name,
       c.alpha_code as currency_code, c.name as currency_name, c.name || ' (' || c.alpha_code || ')' as currency_title,
       g.name as template_group_name, to_jsonb(d) as domain_product, to_jsonb(s) as product_supplier
  from packages p
  join brand_settings b on b.brand_ref = current_brand()
  join currencies c on c.ref = p.default_currency_ref
  left join template_groups g on g.ref = p.template_group_ref
  left join domain_products d on d.package_ref = p.ref
  left join product_suppliers s on s.ref = d.supplier_ref
"""

_SIZES = """
select p.ref, 3000 + octet_length(concat(p.banner_html, p.image_url, p.affiliate_link, p.flow_name, p.url_id))
       + octet_length(concat(d.name, d.description, s.name, s.description, s.class_name))
       + 12 * cardinality(p.plugins) + octet_length(concat(p.categories, p.package_collections))
       + (400 + octet_length(p.name)) * (
         (select count(*) from package_prices x where x.package_ref = p.ref)
         + (select count(*) from reseller_price_list x
             where x.brand_ref = current_brand() and x.reseller_ref = $1 and x.package_ref = p.ref)) as bytes
  from packages p
  join brand_settings b on b.brand_ref = current_brand()
  left join domain_products d on d.package_ref = p.ref
  left join product_suppliers s on s.ref = d.supplier_ref
"""
_PLACE = "(select display_order from packages where ref = {ref})"


async def list_sizes(tx: Transaction, wanted: PackageFilter, reseller_ref: int | None) -> dict[int, int]:
    """Return approximate serialized sizes by ref, in order: at most `window.rows`; for `before` the nearest ones.

    After a cursor whose package was removed, the list starts from the beginning, so that none is skipped.
    """
    window = wanted.window
    order = f"p.display_order {window.direction}, p.ref {window.direction}"
    rows = await tx.fetch(
        f"{_SIZES} where ($2::int is null or p.active = $2)"
        f" and ($3::bigint is null or (p.display_order, p.ref) > (coalesce({_PLACE.format(ref='$3')}, -1), $3))"
        f" and ($4::bigint is null or (p.display_order, p.ref) < (coalesce({_PLACE.format(ref='$4')}, 2147483647), $4))"
        " and ($7::text is null or p.product_type = $7) and ($8::text is null or p.content_type = $8)"
        " and ($9::text is null or p.type = $9)"
        f" order by {order} limit $5 offset $6",
        reseller_ref,
        wanted.active,
        *window.position,
        wanted.product_type,
        wanted.content_type,
        wanted.type,
    )
    return {row["ref"]: row["bytes"] for row in window.in_order(rows)}


async def sizes_of_packages(tx: Transaction, package_refs: Collection[int], reseller_ref: int | None) -> dict[int, int]:
    rows = await tx.fetch(f"{_SIZES} where p.ref = any($2)", reseller_ref, package_refs)
    return {row["ref"]: row["bytes"] for row in rows}


async def find_package(tx: Transaction, package_ref: int) -> asyncpg.Record | None:
    return await tx.fetchrow(f"{PACKAGES} where p.ref = $1", package_ref)


async def find_packages(tx: Transaction, package_refs: Collection[int]) -> list[asyncpg.Record]:
    return await tx.fetch(f"{PACKAGES} where p.ref = any($1)", package_refs)


async def list_prices(tx: Transaction, package_refs: Collection[int], reseller_ref: int | None) -> list[asyncpg.Record]:
    """List the packages' own prices and the reseller's; `pricing` decides the precedence."""
    return await tx.fetch(
        "select x.*, p.name as package_name"
        " from (select ref, billing_period_months, price, offer_price, package_ref, currency_ref, 'standard' as type"
        "         from package_prices where package_ref = any($1)"
        "       union all"
        "       select ref, billing_period_months, price, offer_price, package_ref, currency_ref, 'reseller'"
        "         from reseller_price_list"
        "        where brand_ref = current_brand() and reseller_ref = $2 and package_ref = any($1)) x"
        " join packages p on p.ref = x.package_ref"
        " order by x.package_ref, x.currency_ref, x.billing_period_months",
        package_refs,
        reseller_ref,
    )


async def list_names(tx: Transaction) -> list[tuple[int, str]]:
    rows = await tx.fetch("select ref, name from packages order by display_order, ref limit 1000")
    return [(row["ref"], row["name"]) for row in rows]


async def list_currency_codes(tx: Transaction) -> list[tuple[int, str]]:
    rows = await tx.fetch("select ref, alpha_code from currencies order by alpha_code")
    return [(row["ref"], row["alpha_code"]) for row in rows]


async def package_exists(tx: Transaction, package_ref: int) -> bool:
    return await tx.fetchval("select exists (select from packages where ref = $1)", package_ref) is True


async def currency_exists(tx: Transaction, currency_ref: int) -> bool:
    return await tx.fetchval("select exists (select from currencies where ref = $1)", currency_ref) is True


async def list_currencies(tx: Transaction) -> list[asyncpg.Record]:
    return await tx.fetch("select * from currencies")
