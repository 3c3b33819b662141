from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

_COLUMNS = """
h.ref, h.at, h.user_ref, concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')) as customer, h.package_ref,
p.name as package_name, h.amount, c.alpha_code, h.billing_period_months, h.period_starts_at, h.period_ends_at
"""
_TABLES = """
charges h
join account_holders u on u.brand_ref = h.brand_ref and u.ref = h.user_ref
join currency_list c on c.ref = h.currency_ref
left join package_terms p on p.ref = h.package_ref
"""
_CONDITIONS = {
    "user_ref": "h.user_ref = ${}",
    "package_ref": "h.package_ref = ${}",
    "currency": "c.alpha_code = ${}",
    "since": "h.at >= ${}",
    "until": "h.at < ${}",
}
KEYS = {"at": SortKey("h.at", "timestamptz")}
"""Served by `charges_by_time`; those of one user are few."""


class ListedCharge(msgspec.Struct, frozen=True):
    ref: int
    at: datetime
    user_ref: int
    customer: str
    package_ref: int
    package_name: str | None
    amount: Decimal
    currency_code: str
    months: int
    period_starts_at: datetime
    period_ends_at: datetime


async def list_charges(tx: Transaction, wanted: Mapping[str, Any], page: PageRequest) -> Page[ListedCharge]:
    """`wanted`: values of `_CONDITIONS`; those that are None do not count."""
    values = {name: value for name, value in wanted.items() if value is not None}
    statement = ListStatement(
        columns=_COLUMNS,
        tables=_TABLES,
        conditions=[
            "h.brand_ref = current_brand()",
            *(_CONDITIONS[name].format(number) for number, name in enumerate(values, 1)),
        ],
        parameters=list(values.values()),
        keys=KEYS,
        ref="h.ref",
    )
    return (await read_page(tx, statement, page)).of(lambda row: ListedCharge(*list(row)[:11]))
