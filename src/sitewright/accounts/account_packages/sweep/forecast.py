"""What an account holder's packages will cost next: the same decisions as the sweep's, without writing them."""

from datetime import datetime
from decimal import Decimal

import msgspec

from sitewright.accounts.account_packages.lifecycle import Held
from sitewright.accounts.account_packages.sweep import store
from sitewright.accounts.account_packages.sweep.decisions import plan_changes
from sitewright.catalogue.packages.service import currency_codes
from sitewright.kit.db import Transaction


class NextCharge(msgspec.Struct, frozen=True, kw_only=True):
    """What happens to a package at the end of its period. It is not charged where it ends, or is free."""

    held: Held
    at: datetime
    renews: bool
    amount: Decimal | None
    currency_code: str | None


async def next_charges(tx: Transaction, user_ref: int) -> list[NextCharge]:
    """One for each package of the user that has a period, the earliest first, at the prices of today."""
    rows = await store.read_with_period(tx, user_ref)
    codes = await currency_codes(tx) if rows else {}
    found = []
    for change in await plan_changes(tx, rows):
        held = change.renewed or change.ended
        assert held is not None  # noqa: S101 - each change is of an existing package
        charge = change.charge if change.renewed is not None else None
        found.append(
            NextCharge(
                held=held,
                at=change.at,
                renews=change.renewed is not None,
                amount=None if charge is None else charge.amount,
                currency_code=None if charge is None else codes[charge.currency_ref],
            )
        )
    return found
