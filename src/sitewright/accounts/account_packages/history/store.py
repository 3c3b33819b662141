from datetime import datetime
from decimal import Decimal

import msgspec

from sitewright.kit.db import Transaction

_PACKAGES = """
select a.ref, a.package_ref, p.name, a.is_subscription, a.is_trial, a.billing_period_months, a.price, c.alpha_code,
       a.delete_on_expiry, a.free_of_charge, a.started_at, a.due_at, a.ended_at
  from account_packages a
  left join package_terms p on p.ref = a.package_ref
  left join currency_list c on c.ref = a.currency_ref
 where a.brand_ref = current_brand() and a.user_ref = $1 and p.content_type is distinct from 'domain'
 order by a.ended_at is not null, a.is_subscription desc, a.started_at desc, a.ref desc limit $2
"""
_CHARGES = """
select h.ref, p.name, h.amount, c.alpha_code, h.billing_period_months, h.period_starts_at, h.period_ends_at, h.at,
       h.voided_at
  from charges h
  left join package_terms p on p.ref = h.package_ref
  join currency_list c on c.ref = h.currency_ref
 where h.brand_ref = current_brand() and h.user_ref = $1 order by h.ref desc limit $2
"""


class HeldPackage(msgspec.Struct, frozen=True):
    """A package that the user has, or had (`ended_at`). `due_at`: the end of its current period."""

    ref: int
    package_ref: int
    name: str | None
    is_subscription: bool
    is_trial: bool
    months: int
    price: Decimal
    currency_code: str | None
    delete_on_expiry: bool
    free_of_charge: bool
    started_at: datetime
    due_at: datetime | None
    ended_at: datetime | None

    @property
    def may_renew(self) -> bool:
        """Whether it can be set to renew, or not to renew."""
        return self.ended_at is None and self.due_at is not None and not self.is_trial


class ChargeRow(msgspec.Struct, frozen=True):
    ref: int
    package_name: str | None
    amount: Decimal
    currency_code: str
    months: int
    period_starts_at: datetime
    period_ends_at: datetime
    at: datetime
    voided_at: datetime | None


async def list_packages(tx: Transaction, user_ref: int, most: int) -> list[HeldPackage]:
    return [HeldPackage(*row) for row in await tx.fetch(_PACKAGES, user_ref, most)]


async def list_charges(tx: Transaction, user_ref: int, most: int) -> list[ChargeRow]:
    return [ChargeRow(*row) for row in await tx.fetch(_CHARGES, user_ref, most)]
