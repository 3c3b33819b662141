"""Giving packages to account holders. What a change is stands in `lifecycle`; here it is decided and done."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import asyncpg
import msgspec

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.beside import Beside, Given, end_beside, give_beside, renew_beside
from sitewright.accounts.account_packages.errors import AccountPackageNotFound, DoesNotRenew
from sitewright.accounts.account_packages.giving import make_change, record_given, settled_situation
from sitewright.accounts.account_packages.lifecycle import Change, Held, Kind, classify, give
from sitewright.accounts.account_packages.schemas import (
    AccountPackage,
    AccountPackageFilter,
    PackageRequest,
    RenewalRequest,
)
from sitewright.accounts.account_packages.sweep.deciding import settle
from sitewright.accounts.account_packages.sweep.service import erase_user
from sitewright.accounts.account_packages.terms import price_today, terms_of
from sitewright.catalogue.packages import service as packages
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, cut_by_size
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer
from sitewright.kit.timestamps import timestamp

__all__ = [
    "AccountPackage",
    "Beside",
    "Given",
    "Owner",
    "Registered",
    "capabilities_of",
    "end_beside",
    "erase_user",
    "get_account_packages",
    "give_beside",
    "give_package",
    "page_of_account_packages",
    "register",
    "renew_beside",
    "require_account_package",
    "set_renewal",
]


class Registered(msgspec.Struct, frozen=True):
    """The package of a new user: the brand's default one, which is free and has no end."""

    package_ref: int | None
    capabilities: str | None
    """As the database stores them."""


async def register(tx: Transaction, user_ref: int, reseller_ref: int | None, currency_ref: int | None) -> Registered:
    """Assigns the brand's default package to a new user; in a brand without one, a user has no package."""
    situation = await store.read_situation_of_new_user(tx, reseller_ref, currency_ref)
    now = clock.now()
    if situation.package is None:
        change = Change(user_ref=user_ref, kind=Kind.REGISTRATION, at=now)
    else:
        terms = terms_of(situation, situation.package, PackageRequest(situation.package["package_ref"]))
        change = give(user_ref, None, terms, Kind.REGISTRATION, now, situation.zone)
    capabilities = None if situation.package is None else situation.package["capabilities"]
    await store.write_changes(tx, situation.brand_ref, [change], now)
    return Registered(change.package_ref, capabilities)


async def give_package(
    tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, request: PackageRequest
) -> dict[str, str]:
    """Subscription, trial, upgrade, downgrade, cancellation or renewal: which one, the packages themselves tell.

    The user's row is locked: calls for one user take turns. Answers the capabilities the user has then.
    """
    situation = await settled_situation(tx, sealer, user_ref, request.package_ref)
    package = situation.package
    before = None if package is None else _replaced(situation.held, package)
    if package is None or not (package["active"] or _is(before, package)):
        raise Invalid.fields({"packageRef": {"invalidPackageRef": "is not an active package of your brand"}})
    terms = terms_of(situation, package, request)
    before_price = None if before is None else price_today(situation, before)
    kind = classify(before, before_price, terms, situation.rates)
    change = give(user_ref, before, terms, kind, clock.now(), situation.zone)
    await make_change(tx, sealer, situation, change)
    await record_given(tx, caller, change, terms.package_ref)
    if terms.is_subscription:
        return packages.capabilities_of_user(package["capabilities"])
    return packages.capabilities_of_user(await store.current_capabilities(tx, user_ref))


async def capabilities_of(tx: Transaction, user_ref: int) -> dict[str, int]:
    """What the user's current package allows, by neutral name; all 0 for a user without one. Not to be changed."""
    return packages.capabilities_as_numbers(await store.current_capabilities(tx, user_ref))


def _replaced(held: Sequence[Held], package: asyncpg.Record) -> Held | None:
    """What a package takes the place of: the subscription, or the same add-on where a user may have it only once."""
    if package["is_subscription"]:
        return next((each for each in held if each.is_subscription), None)
    if package["allow_multiple_purchase"]:
        return None
    return next((each for each in held if _is(each, package)), None)


def _is(held: Held | None, package: asyncpg.Record) -> bool:
    return held is not None and held.package_ref == package["package_ref"]


async def get_account_packages(
    tx: Transaction, caller: Caller, user_ref: int, refs: Sequence[int]
) -> dict[int, AccountPackage]:
    """Those of the user that have these refs."""
    told = await _told(tx, caller, await store.read_account_packages(tx, user_ref, refs))
    return {each.ref: each for each in told}


async def page_of_account_packages(
    tx: Transaction, caller: Caller, user_ref: int, wanted: AccountPackageFilter
) -> tuple[list[AccountPackage], Page]:
    window = wanted.window
    rows = await store.read_page_of_account_packages(tx, user_ref, wanted.content_type, window)
    sizes = await packages.sizes_of_packages(tx, {row["package_ref"] for row in rows}, caller.reseller_ref)
    page = cut_by_size(window, {row["ref"]: sizes[row["package_ref"]] for row in rows})
    shown = set(page.refs)
    return await _told(tx, caller, [row for row in rows if row["ref"] in shown]), page


async def _told(tx: Transaction, caller: Caller, rows: Sequence[asyncpg.Record]) -> list[AccountPackage]:
    told = await packages.get_packages(tx, {row["package_ref"] for row in rows}, caller.reseller_ref)
    return [
        AccountPackage(
            ref=row["ref"],
            start_date_time=timestamp(row["started_at"], row["time_zone"]),
            end_date_time=None if (end := _end(row)) is None else timestamp(end, row["time_zone"]),
            updated=timestamp(row["updated_at"], row["time_zone"]),
            delete_on_expiry=int(row["delete_on_expiry"]),
            billing_period_months=row["billing_period_months"],
            package=told[row["package_ref"]],
        )
        for row in rows
    ]


def _end(row: asyncpg.Record) -> datetime | None:
    """The real end, or the coming one of what does not renew."""
    coming: datetime | None = row["due_at"] if row["is_trial"] or row["delete_on_expiry"] else None
    return row["ended_at"] or coming


class Owner(Protocol):
    """A user, as far as packages need one."""

    @property
    def ref(self) -> int: ...
    @property
    def brand_ref(self) -> int: ...


async def require_account_package(tx: Transaction, user_ref: int, account_package_ref: int) -> None:
    if await store.find_account_package(tx, user_ref, account_package_ref) is None:
        raise AccountPackageNotFound


async def set_renewal(
    tx: Transaction, sealer: Sealer, caller: Caller, user: Owner, account_package_ref: int, request: RenewalRequest
) -> AccountPackage:
    """Whether the package ends with its period. The period itself stays as it is. The user's row is locked."""
    user_ref = user.ref
    await settle(tx, sealer, user.brand_ref, user_ref)
    found = await store.find_account_package(tx, user_ref, account_package_ref)
    if found is None or found["ended_at"] is not None or found["due_at"] is None or found["is_trial"]:
        raise DoesNotRenew
    await store.set_delete_on_expiry(tx, user_ref, account_package_ref, request.delete_on_expiry, clock.now())
    await audit.record_by(
        tx, caller, "set renewal", "account package", account_package_ref, deleteOnExpiry=request.delete_on_expiry
    )
    return (await get_account_packages(tx, caller, user_ref, [account_package_ref]))[account_package_ref]
