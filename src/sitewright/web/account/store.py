"""SQL of the account pages."""

from collections.abc import Sequence
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
 where s.brand_ref = current_brand() and s.ref = any($1::bigint[])
"""

_PACKAGES = """
select p.name, a.is_trial, a.price, c.alpha_code, a.billing_period_months, not (a.is_trial or a.delete_on_expiry),
       a.due_at
  from held_packages a join package_terms p on p.ref = a.package_ref
  left join currency_list c on c.ref = a.currency_ref
 where a.brand_ref = current_brand() and a.user_ref = $1 and a.ended_at is null
"""


class FactsRow(msgspec.Struct, frozen=True):
    """What the overview needs of a site besides its own row."""

    site_ref: int
    business: str | None
    has_page: bool
    has_own_domain: bool


class PackageRow(msgspec.Struct, frozen=True):
    """A package that the user has: the subscription, or an add-on."""

    name: str
    is_trial: bool
    price: Decimal
    alpha_code: str | None
    billing_period_months: int
    renews: bool
    due_at: datetime | None


async def find_package(tx: Transaction, user_ref: int) -> PackageRow | None:
    row = await tx.fetchrow(_PACKAGES + " and a.is_subscription", user_ref)
    return None if row is None else PackageRow(*row)


async def list_add_ons(tx: Transaction, user_ref: int) -> list[PackageRow]:
    """The user's current add-ons except domains, first started first."""
    rows = await tx.fetch(
        _PACKAGES + " and not a.is_subscription and p.content_type <> 'domain' order by a.ref", user_ref
    )
    return [PackageRow(*row) for row in rows]


async def read_facts(tx: Transaction, site_refs: Sequence[int], brand_domain: str) -> dict[int, FactsRow]:
    """By site."""
    rows = await tx.fetch(_FACTS, site_refs, brand_domain)
    return {row[0]: FactsRow(*row) for row in rows}


async def has_page(tx: Transaction, site_ref: int) -> bool:
    found = await tx.fetchval(
        "select exists (select from site_pages where brand_ref = current_brand() and site_ref = $1)", site_ref
    )
    return found is True
