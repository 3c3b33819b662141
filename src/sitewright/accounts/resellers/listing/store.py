from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

KEYS = {"ref": SortKey("r.ref"), "name": SortKey("lower(r.reseller_name)", "text"), "customers": SortKey("c.customers")}
"""A brand has few resellers: they are filtered and sorted without an index."""


class ResellerRow(msgspec.Struct, frozen=True):
    ref: int
    name: str
    display_name: str
    account_create_limit: int
    is_enabled: bool
    created_at: datetime
    customers: int
    """Users that are not deleted, from the stored counters."""


async def list_resellers(
    tx: Transaction, words: str | None, is_enabled: bool | None, page: PageRequest
) -> Page[ResellerRow]:
    """`words`: the beginning of one of its names, in lower case, or its ref."""
    statement = ListStatement(
        columns="r.ref, r.reseller_name, r.display_name, r.account_create_limit, r.enabled, r.created_at, c.customers",
        tables="resellers r cross join lateral"
        " (select coalesce(sum(t.users), 0)::bigint as customers from user_totals t"
        "   where t.brand_ref = r.brand_ref and t.reseller_ref = r.ref and not t.deleted) c",
        conditions=[
            "r.brand_ref = current_brand()",
            "r.deleted_at is null",
            "($1::boolean is null or r.enabled = $1)",
            "($2::text is null or starts_with(lower(r.reseller_name), $2) or starts_with(lower(r.display_name), $2)"
            " or r.ref::text = $2)",
        ],
        parameters=[is_enabled, words],
        keys=KEYS,
        ref="r.ref",
    )
    return (await read_page(tx, statement, page)).of(lambda row: ResellerRow(*list(row)[:-2]))
