"""Account packages as the API returns them."""

from collections.abc import Sequence
from datetime import datetime

import asyncpg

from sitewright.accounts.account_packages.listing import store as listing
from sitewright.accounts.account_packages.schemas import AccountPackage, AccountPackageFilter
from sitewright.catalogue.packages import service as packages
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, cut_by_size
from sitewright.kit.timestamps import timestamp


async def get_account_packages(
    tx: Transaction, caller: Caller, user_ref: int, refs: Sequence[int]
) -> dict[int, AccountPackage]:
    """The user's account packages with these refs."""
    presented = await _present(tx, caller, await listing.read_account_packages(tx, user_ref, refs))
    return {each.ref: each for each in presented}


async def page_of_account_packages(
    tx: Transaction, caller: Caller, user_ref: int, query: AccountPackageFilter
) -> tuple[list[AccountPackage], Page]:
    window = query.window
    rows = await listing.read_page_of_account_packages(tx, user_ref, query.content_type, window)
    sizes = await packages.sizes_of_packages(tx, {row["package_ref"] for row in rows}, caller.reseller_ref)
    page = cut_by_size(window, {row["ref"]: sizes[row["package_ref"]] for row in rows})
    shown = set(page.refs)
    return await _present(tx, caller, [row for row in rows if row["ref"] in shown]), page


async def _present(tx: Transaction, caller: Caller, rows: Sequence[asyncpg.Record]) -> list[AccountPackage]:
    details = await packages.get_packages(tx, {row["package_ref"] for row in rows}, caller.reseller_ref)
    return [
        AccountPackage(
            ref=row["ref"],
            start_date_time=timestamp(row["started_at"], row["time_zone"]),
            end_date_time=None if (end := _end(row)) is None else timestamp(end, row["time_zone"]),
            updated=timestamp(row["updated_at"], row["time_zone"]),
            delete_on_expiry=int(row["delete_on_expiry"]),
            billing_period_months=row["billing_period_months"],
            package=details[row["package_ref"]],
        )
        for row in rows
    ]


def _end(row: asyncpg.Record) -> datetime | None:
    """The actual end, or the expected end of a package that does not renew."""
    expected: datetime | None = row["due_at"] if row["is_trial"] or row["delete_on_expiry"] else None
    return row["ended_at"] or expected
