from typing import Annotated

import msgspec

from sitewright.accounts.account_packages.pricing import MAX_MONTHS
from sitewright.catalogue.packages.schemas import PackageDetails, UserCapabilities
from sitewright.kit.http.about import about
from sitewright.kit.paging import ListQuery
from sitewright.kit.timestamps import AT, TS
from sitewright.kit.validation import Ref

Months = Annotated[int, msgspec.Meta(ge=1, le=MAX_MONTHS)]


class PackageRequest(msgspec.Struct, frozen=True, rename="camel"):
    """Which package the account holder gets."""

    package_ref: Annotated[Ref, about("The package; it must be one of the brand's active ones.", 3)]
    billing_frequency: Annotated[
        Months | None,
        about(
            "The billing period in months; left out: the shortest the package has a price for, else 1. "
            "A period without a price of its own costs the monthly price times its months.",
            12,
        ),
    ] = None
    delete_on_expiry: Annotated[
        bool, about("1: it does not renew; when its period ends the default package follows.", False)
    ] = False


class RenewalRequest(msgspec.Struct, frozen=True, rename="camel"):
    """Whether an account package renews."""

    delete_on_expiry: Annotated[bool, about("1: it ends with its period; 0: it renews.", True)]


class Inherited(msgspec.Struct, frozen=True):
    """The capabilities of the account holder after the change."""

    capabilities: UserCapabilities


class AccountPackage(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A package an account holder has or had."""

    ref: Annotated[int, about("The account package's number.", 1)]
    start_date_time: Annotated[TS, about("When it began.", AT)]
    end_date_time: Annotated[TS | None, about("When it ended, or will end; null while it goes on or renews.", None)]
    updated: Annotated[TS, about("When it was last changed or renewed.", AT)]
    delete_on_expiry: Annotated[int, about("1: it does not renew.", 0)]
    billing_period_months: Annotated[int, about("Its billing period in months.", 12)]
    package: Annotated[PackageDetails, about("The package.", {"ref": 3, "name": "Pro"})]


class AccountPackageFilter(ListQuery, frozen=True, rename="camel", kw_only=True):
    """Which packages of an account holder to list. An unknown value returns an empty list."""

    content_type: Annotated[str, about("Only those whose package has this `contentType`.", "bundle")] | None = None


class AccountPackages(msgspec.Struct, frozen=True, rename="camel"):
    """The packages an account holder has and had."""

    account_packages: Annotated[list[AccountPackage], about("First created first.", [{"ref": 1}])]


class ChangedAccountPackage(msgspec.Struct, frozen=True, rename="camel"):
    """One account package, after a change."""

    account_package: Annotated[AccountPackage, about("The account package.", {"ref": 1})]
