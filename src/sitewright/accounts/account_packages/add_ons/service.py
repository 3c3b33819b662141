"""Add-ons: packages in addition to the subscription, with their own periods, such as domains.

Callers have locked the user's row.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any

import asyncpg
import msgspec

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.effects import apply_effects, effects_of
from sitewright.accounts.account_packages.errors import AccountPackageNotFound, PackageAlreadyHeld
from sitewright.accounts.account_packages.lifecycle import Change, Kind, Terms, assign, classify
from sitewright.accounts.account_packages.package_events import REGISTRATION_FAILED, emit_changes, emit_voided
from sitewright.accounts.account_packages.pricing import Price
from sitewright.accounts.account_packages.service import current_context, price_list, record_assigned, write_change
from sitewright.accounts.account_packages.store import PackageContext
from sitewright.accounts.account_packages.sweep.decisions import renew_early
from sitewright.kit import audit
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
    domain: str | None = None
    """The domain that it registers."""


class AssignedAddOn(msgspec.Struct, frozen=True):
    account_package_ref: int
    started_at: datetime
    due_at: datetime


async def assign_add_on(
    tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, request: AddOn
) -> AssignedAddOn:
    """Writes one lifecycle event and, if it is not free, one charge. The user's other packages stay."""
    context = await current_context(tx, sealer, user_ref, request.package_ref)
    package = context.package
    if package is None or not package["active"]:
        raise Invalid.fields({"packageRef": {"invalidPackageRef": "is not an active package of your brand"}})
    holds_it = any(held.package_ref == request.package_ref for held in context.held)
    if holds_it and not package["allow_multiple_purchase"]:
        raise PackageAlreadyHeld
    terms = _terms(context, package, request)
    kind = classify(None, None, terms, context.rates)
    change = assign(user_ref, None, terms, kind, context.now, context.zone)
    await write_change(tx, sealer, context, change)
    await record_assigned(tx, caller, change, terms.package_ref)
    return AssignedAddOn(*await store.newest_account_package(tx, user_ref, request.package_ref))


async def end_add_on(tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, account_package_ref: int) -> None:
    """Ends it now, in the middle of its period; does nothing if it has already ended."""
    context = await current_context(tx, sealer, user_ref, None)
    held = next((each for each in context.held if each.ref == account_package_ref), None)
    if held is None:
        return
    if held.is_subscription:
        raise AccountPackageNotFound
    change = Change(user_ref=user_ref, kind=Kind.CANCELLATION, at=context.now, ended=held)
    await write_change(tx, sealer, context, change)
    await audit.record_by(tx, caller, "end package", "user", user_ref, accountPackageRef=account_package_ref)


async def void_add_on(
    tx: Transaction, sealer: Sealer, actor: str, user_ref: int, account_package_ref: int, *, is_mailed: bool
) -> None:
    """Ends an add-on that could not be delivered, and voids its charges, each with an event `charge.voided`."""
    context = await store.read_context(tx, user_ref, None)
    now = context.now
    held = next((each for each in context.held if each.ref == account_package_ref), None)
    if held is not None:
        change = Change(user_ref=user_ref, kind=Kind.CANCELLATION, at=now, reason=REGISTRATION_FAILED, ended=held)
        written = await store.write_changes(tx, context.brand_ref, [change], now)
        unmailed = () if is_mailed else (user_ref,)
        effects = effects_of(sealer, context.brand_ref, [change], context.currency_codes, unmailed=unmailed)
        await apply_effects(tx, effects)
        await emit_changes(tx, written, context.currency_codes)
    voided = await store.void_charges(tx, account_package_ref, now)
    for charge in voided:
        details: dict[str, Any] = {"accountPackageRef": account_package_ref, "chargeRef": charge.ref}
        await audit.record_each(tx, actor, "void charge", "user", [user_ref], **details)
    await emit_voided(tx, voided, user_ref, account_package_ref, now)


async def renew_add_on(
    tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, account_package_ref: int
) -> None:
    """Adds a period before the current one has ended, and charges it now. Raises DoesNotRenew if it cannot."""
    context = await current_context(tx, sealer, user_ref, None)
    await renew_early(tx, sealer, context.brand_ref, user_ref, account_package_ref)
    await audit.record_by(tx, caller, "renew package", "user", user_ref, accountPackageRef=account_package_ref)


def _terms(context: PackageContext, package: asyncpg.Record, request: AddOn) -> Terms:
    prices = price_list(context, request.package_ref, package["package_currency_ref"])
    price = Price(Decimal(0), None, request.months) if request.free_of_charge else prices.price_for(request.months)
    if price is None:
        message = f"this package has no price for {request.months} months"
        raise Invalid.fields({"packageRef": {"invalidPackageRef": message}})
    return Terms(
        package_ref=request.package_ref,
        name=package["name"],
        is_subscription=False,
        trial_days=0,
        live_sites=0,
        price=price,
        delete_on_expiry=request.delete_on_expiry,
        has_period=True,
        free_of_charge=request.free_of_charge,
        domain=request.domain,
    )
