"""Routes of an account holder's packages; the rules are in `account_packages`."""

from sitewright.accounts.account_packages import service
from sitewright.accounts.account_packages.errors import AccountPackageNotFound, DoesNotRenew
from sitewright.accounts.account_packages.schemas import (
    AccountPackageFilter,
    AccountPackages,
    ChangedAccountPackage,
    Inherited,
    PackageRequest,
    RenewalRequest,
)
from sitewright.accounts.users.errors import Anonymized, UserNotFound
from sitewright.accounts.users.service import find_user
from sitewright.catalogue.vendor_names import with_vendor_names
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import set_links

PATH = "/users/{user_ref:int}/account-packages"


@endpoint("GET", PATH, query=AccountPackageFilter, list_field="account_packages", errors=(UserNotFound,))
async def list_account_packages(call: Call, user_ref: int) -> AccountPackages:
    """The packages an account holder has and had."""
    await find_user(call.tx, call.caller, user_ref)
    query = call.query(AccountPackageFilter)
    listed, page = await service.page_of_account_packages(call.tx, call.caller, user_ref, query)
    set_links(call, query.window, page)
    return with_vendor_names(AccountPackages(listed), call.resources.settings)


@endpoint("POST", PATH, body=PackageRequest, errors=(UserNotFound, Anonymized))
async def assign_package(call: Call, user_ref: int) -> Inherited:
    """Assign a package to an account holder: trial, subscription, upgrade, downgrade, cancellation or renewal.

    Which one it is follows from the current package and its price per month. A package of productType `subscription`
    replaces the current one; others are added to it. A paid package is charged at once.
    """
    user = await find_user(call.tx, call.caller, user_ref, lock=True)
    request = call.body(PackageRequest)
    if user.anonymized:
        raise Anonymized
    capabilities = await service.assign_package(call.tx, call.resources.sealer, call.caller, user_ref, request)
    return with_vendor_names(Inherited(capabilities), call.resources.settings)


@endpoint(
    "PUT",
    PATH + "/{account_package_ref:int}",
    body=RenewalRequest,
    errors=(AccountPackageNotFound, UserNotFound, DoesNotRenew),
)
async def set_renewal(call: Call, user_ref: int, account_package_ref: int) -> ChangedAccountPackage:
    """Let an account holder's paid package end with its period, or renew again. Nothing is charged or refunded."""
    user = await find_user(call.tx, call.caller, user_ref, lock=True)
    await service.require_account_package(call.tx, user_ref, account_package_ref)
    request = call.body(RenewalRequest)
    sealer = call.resources.sealer
    changed = await service.set_renewal(call.tx, sealer, call.caller, user, account_package_ref, request)
    return with_vendor_names(ChangedAccountPackage(changed), call.resources.settings)


endpoints = [list_account_packages, assign_package, set_renewal]
