"""Account holders as the API returns them."""

from datetime import datetime, timedelta
from typing import Any

import asyncpg

from sitewright.accounts.account_packages.service import Registered
from sitewright.accounts.users.schemas import (
    AccountHolderDetails,
    AccountHolderFields,
    BilledPackage,
    BillingCycle,
    CurrentAccountPackage,
    ListedAccountHolder,
)
from sitewright.catalogue.packages.service import capabilities_of_user
from sitewright.kit import clock
from sitewright.kit.timestamps import timestamp
from sitewright.tenants.brands.schemas import BrandSettings

_COPIED_FIELDS = (
    "ref", "first_name", "last_name", "username", "email", "language_code", "phone_number", "address1", "address2",
    "city", "state", "postcode", "country", "company", "newsletter", "currency_ref", "cpf_number", "cpf_company",
    "deleted", "reseller_ref", "storage_bytes_used",
)  # fmt: skip
_DAY = timedelta(days=1)
Row = asyncpg.Record | dict[str, Any]


def created(row: asyncpg.Record, brand: BrandSettings, registered: Registered) -> AccountHolderDetails:
    """The same as a GET returns, without reading the new rows again."""
    return details(
        dict(row)
        | {
            "capabilities": registered.capabilities,
            "subscription_package_ref": registered.package_ref,
            "due_at": None,
            "ends": False,
            "used_free_domains": 0,
            "time_zone": brand.time_zone,
            "clock_offset": brand.clock_offset,
            "consistent_types": brand.consistent_types,
        }
    )


def details(row: Row) -> AccountHolderDetails:
    ends = row["due_at"] is not None and row["ends"]
    return AccountHolderDetails(
        **_fields(row),
        subscription_package_ref=row["subscription_package_ref"],
        brand_ref=row["brand_ref"],
        nrt_status=ends,
        nrt_days_to_expiry=_whole_days_until(row["due_at"], clock.now() + row["clock_offset"]) if ends else 0,
        editor_access=not (row["is_suspended"] or row["deleted"]),
        used_free_domains=row["used_free_domains"],
        email_verified=row["email_verified"],
    )


def edited(row: Row) -> AccountHolderFields:
    return AccountHolderFields(**_fields(row), beta=False if row["consistent_types"] else "false")


def listed(row: Row) -> ListedAccountHolder:
    zone = row["time_zone"]
    packages = [_account_package(zone, *each) for each in row["account_packages"]]
    return ListedAccountHolder(**_fields(row), account_packages=packages)


def _fields(row: Row) -> dict[str, Any]:
    zone, is_suspended = row["time_zone"], row["is_suspended"]
    fields = {name: row[name] for name in _COPIED_FIELDS}
    fields["suspended"] = int(is_suspended)
    fields["account_status"] = "suspended" if is_suspended else "allowed"
    fields["capabilities"] = capabilities_of_user(row["capabilities"])
    fields["created"] = timestamp(row["created_at"], zone)
    fields["last_login"] = None if row["last_login_at"] is None else timestamp(row["last_login_at"], zone)
    return fields


def _account_package(
    zone: str,
    ref: int,
    delete_on_expiry: bool,
    started_at: datetime,
    billing_period_months: int,
    due_at: datetime | None,
    package_ref: int,
    package_name: str,
) -> CurrentAccountPackage:
    expiry_date = None if due_at is None else timestamp(due_at, zone)
    return CurrentAccountPackage(
        ref,
        int(delete_on_expiry),
        timestamp(started_at, zone),
        BilledPackage(package_ref, package_name),
        BillingCycle(billing_period_months, expiry_date),
    )


def _whole_days_until(due_at: datetime, now: datetime) -> int:
    return max(0, (due_at - now) // _DAY)
