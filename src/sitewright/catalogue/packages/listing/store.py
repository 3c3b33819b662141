from decimal import Decimal

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

KEYS = {
    "display_order": SortKey("p.display_order"),
    "ref": SortKey("p.ref"),
    "name": SortKey("lower(p.name)", "text"),
}
"""A brand has few packages: any order is sorted from all of them."""
_PRICES = (
    "array(select {column} from package_prices x join currencies c on c.ref = x.currency_ref"
    " where x.package_ref = p.ref order by c.alpha_code, x.billing_period_months)"
)


class PackageRow(msgspec.Struct, frozen=True):
    """`amounts`, `currencies` and `months` are its prices."""

    ref: int
    key: str
    name: str
    product_type: str
    active: int
    is_global: int
    trial_days: int
    display_order: int
    amounts: list[Decimal]
    currencies: list[str]
    months: list[int]


async def list_packages(
    tx: Transaction, name: str | None, product_type: str | None, active: int | None, page: PageRequest
) -> Page[PackageRow]:
    """`name`: part of it. Those of the brand, and global ones of others, which row-level security shows too."""
    prices = ", ".join(_PRICES.format(column=each) for each in ("x.price", "c.alpha_code", "x.billing_period_months"))
    statement = ListStatement(
        columns=f"p.ref, p.key, p.name, p.product_type, p.active, p.is_global, p.trial_days, p.display_order, {prices}",
        tables="packages p",
        conditions=[
            "($1::text is null or strpos(lower(p.name), lower($1)) > 0)",
            "($2::text is null or p.product_type = $2)",
            "($3::int is null or p.active = $3)",
        ],
        parameters=[name, product_type, active],
        keys=KEYS,
        ref="p.ref",
    )
    found = await read_page(tx, statement, page)
    return found.of(lambda row: PackageRow(*list(row)[:11]))


async def list_product_types(tx: Transaction) -> list[str]:
    rows = await tx.fetch("select distinct product_type from packages order by product_type limit 100")
    return [row["product_type"] for row in rows]
