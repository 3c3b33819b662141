from collections.abc import Sequence

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window

_LISTED = """
select a.ref, a.package_ref, a.started_at, a.ended_at, a.due_at, a.updated_at, a.delete_on_expiry,
       a.billing_period_months, a.is_trial, b.time_zone
  from account_packages a join brand_settings b on b.brand_ref = a.brand_ref
 where a.brand_ref = current_brand() and a.user_ref = $1
"""


async def read_account_packages(tx: Transaction, user_ref: int, refs: Sequence[int]) -> list[asyncpg.Record]:
    return await tx.fetch(f"{_LISTED} and a.ref = any($2)", user_ref, refs)


async def read_page_of_account_packages(
    tx: Transaction, user_ref: int, content_type: str | None, window: Window
) -> list[asyncpg.Record]:
    """At most `window.rows` of them, in order; for `before` the nearest ones. `content_type`: only those of packages
    with this one."""
    rows = await tx.fetch(
        f"{_LISTED} and ($2::bigint is null or a.ref > $2) and ($3::bigint is null or a.ref < $3)"
        " and ($6::text is null"
        "      or exists (select from package_terms p where p.ref = a.package_ref and p.content_type = $6))"
        f" order by a.ref {window.direction} limit $4 offset $5",
        user_ref,
        *window.position,
        content_type,
    )
    return window.in_order(rows)
