"""SQL of the account pages."""

from datetime import datetime
from decimal import Decimal

import msgspec

from sitewright.kit.db import Transaction

_FACTS = """
select s.ref, nullif(btrim(f.fields ->> 'business'), ''),
       exists (select from site_pages g where g.brand_ref = s.brand_ref and g.site_ref = s.ref),
       exists (select from mapped_domains d where d.brand_ref = s.brand_ref and d.site_ref = s.ref
                  and d.domain <> $2 and right(d.domain, length($2) + 1) <> '.' || $2)
  from hosted_sites s left join profile_fields f on f.brand_ref = s.brand_ref and f.ref = s.profile_ref
 where s.brand_ref = current_brand() and s.user_ref = $1
"""


class FactsRow(msgspec.Struct, frozen=True):
    """What the overview needs of a site besides its own row."""

    site_ref: int
    business: str | None
    has_page: bool
    has_own_domain: bool


class PackageRow(msgspec.Struct, frozen=True):
    """The user's current subscription package."""

    name: str
    is_trial: bool
    price: Decimal
    alpha_code: str | None
    billing_period_months: int
    renews: bool
    due_at: datetime | None


async def find_package(tx: Transaction, user_ref: int) -> PackageRow | None:
    row = await tx.fetchrow(
        "select p.name, a.is_trial, a.price, c.alpha_code, a.billing_period_months,"
        " not (a.is_trial or a.delete_on_expiry), a.due_at"
        " from held_packages a join package_terms p on p.ref = a.package_ref"
        " left join currency_list c on c.ref = a.currency_ref"
        " where a.brand_ref = current_brand() and a.user_ref = $1 and a.is_subscription and a.ended_at is null",
        user_ref,
    )
    return None if row is None else PackageRow(*row)


async def read_facts(tx: Transaction, user_ref: int, brand_domain: str) -> dict[int, FactsRow]:
    """By site, for all sites of the user."""
    rows = await tx.fetch(_FACTS, user_ref, brand_domain)
    return {row[0]: FactsRow(*row) for row in rows}
