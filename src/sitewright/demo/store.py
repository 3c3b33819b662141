"""Statements of the owner: brands and languages are no business of the service role."""

from collections.abc import Mapping

from sitewright.demo.data import DemoBrand
from sitewright.kit.db import Transaction


async def ensure_languages(owner: Transaction, languages: Mapping[str, str]) -> None:
    await owner.execute(
        "insert into languages (code, name) select * from unnest($1::text[], $2::text[])"
        " on conflict (code) do update set name = excluded.name where languages.name <> excluded.name",
        list(languages),
        list(languages.values()),
    )


async def ensure_brand(owner: Transaction, brand: DemoBrand) -> None:
    await owner.execute(
        "insert into brands (brand_ref, name, domain) values ($1, $2, $3) on conflict do nothing",
        brand.brand_ref,
        brand.name,
        brand.domain,
    )
    await owner.execute(
        "insert into brand_languages (brand_ref, language_ref, display_order)"
        " select $1, l.ref, wanted.position from unnest($2::text[]) with ordinality wanted (code, position)"
        " join languages l using (code) on conflict do nothing",
        brand.brand_ref,
        list(brand.languages),
    )


async def let_new_brands_follow(owner: Transaction) -> None:
    """The demo names its refs itself; refs given out later begin after them."""
    await owner.execute(
        "select setval(pg_get_serial_sequence('brands', 'brand_ref'), greatest(max(brand_ref), 1)) from brands"
    )
