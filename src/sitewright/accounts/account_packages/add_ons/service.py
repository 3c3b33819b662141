"""Add-ons: packages besides the subscription that last for periods of their own, such as those of domains.

Callers have locked the user's row.
"""

from datetime import datetime
from decimal import Decimal

import asyncpg
import msgspec

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.errors import AccountPackageNotFound, PackageAlreadyHeld
from sitewright.accounts.account_packages.lifecycle import Change, Kind, Terms, assign, classify
from sitewright.accounts.account_packages.pricing import Price
from sitewright.accounts.account_packages.service import price_list, record_assigned, settled_situation, write_change
from sitewright.accounts.account_packages.store import Situation
from sitewright.accounts.account_packages.sweep.deciding import renew_early
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer


class AddOn(msgspec.Struct, frozen=True, kw_only=True):
    """An add-on that an account holder gets in addition to the subscription."""

    package_ref: int
    months: int
    free_of_charge: bool
    """For as long as the subscription includes it."""
    delete_on_expiry: bool


class AssignedAddOn(msgspec.Struct, frozen=True):
    account_package_ref: int
    started_at: datetime
    due_at: datetime


async def assign_add_on(tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, wanted: AddOn) -> AssignedAddOn:
    """With one lifecycle event and, where money is due, one charge. The user's other packages stay."""
    situation = await settled_situation(tx, sealer, user_ref, wanted.package_ref)
    package = situation.package
    if package is None or not package["active"]:
        raise Invalid.fields({"packageRef": {"invalidPackageRef": "is not an active package of your brand"}})
    holds_it = any(held.package_ref == wanted.package_ref for held in situation.held)
    if holds_it and not package["allow_multiple_purchase"]:
        raise PackageAlreadyHeld
    terms = _terms(situation, package, wanted)
    kind = classify(None, None, terms, situation.rates)
    change = assign(user_ref, None, terms, kind, clock.now(), situation.zone)
    await write_change(tx, sealer, situation, change)
    await record_assigned(tx, caller, change, terms.package_ref)
    return AssignedAddOn(*await store.newest_account_package(tx, user_ref, wanted.package_ref))


async def end_add_on(tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, account_package_ref: int) -> None:
    """Ends it now, in the middle of its period. One that has already ended is left alone."""
    situation = await settled_situation(tx, sealer, user_ref, None)
    held = next((each for each in situation.held if each.ref == account_package_ref), None)
    if held is None:
        return
    if held.is_subscription:
        raise AccountPackageNotFound
    change = Change(user_ref=user_ref, kind=Kind.CANCELLATION, at=clock.now(), ended=held)
    await write_change(tx, sealer, situation, change)
    await audit.record_by(tx, caller, "end package", "user", user_ref, accountPackageRef=account_package_ref)


async def renew_add_on(
    tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, account_package_ref: int
) -> None:
    """One more period, charged now, before the running one has ended. Raises DoesNotRenew where it cannot."""
    situation = await settled_situation(tx, sealer, user_ref, None)
    await renew_early(tx, sealer, situation.brand_ref, user_ref, account_package_ref)
    await audit.record_by(tx, caller, "renew package", "user", user_ref, accountPackageRef=account_package_ref)


def _terms(situation: Situation, package: asyncpg.Record, wanted: AddOn) -> Terms:
    prices = price_list(situation, wanted.package_ref, package["package_currency_ref"])
    price = Price(Decimal(0), None, wanted.months) if wanted.free_of_charge else prices.price_for(wanted.months)
    if price is None:
        message = f"this package has no price for {wanted.months} months"
        raise Invalid.fields({"packageRef": {"invalidPackageRef": message}})
    return Terms(
        package_ref=wanted.package_ref,
        name=package["name"],
        is_subscription=False,
        trial_days=0,
        live_sites=0,
        price=price,
        delete_on_expiry=wanted.delete_on_expiry,
        has_period=True,
        free_of_charge=wanted.free_of_charge,
    )
