"""SQL of the account pages."""

from datetime import datetime
from decimal import Decimal

import msgspec

from sitewright.kit.db import Transaction


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
