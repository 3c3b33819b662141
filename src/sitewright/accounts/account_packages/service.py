"""Assigning packages to account holders: decided by `pricing` and `lifecycle`, written in one transaction."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol

import asyncpg
import msgspec

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.effects import apply_effects, effects_of
from sitewright.accounts.account_packages.errors import AccountPackageNotFound, DoesNotRenew
from sitewright.accounts.account_packages.lifecycle import Change, Held, Kind, Terms, assign, classify
from sitewright.accounts.account_packages.package_events import emit_changes, events_of
from sitewright.accounts.account_packages.periods import months_after
from sitewright.accounts.account_packages.presenters import get_account_packages, page_of_account_packages
from sitewright.accounts.account_packages.pricing import Price, PriceList
from sitewright.accounts.account_packages.schemas import AccountPackage, PackageRequest, RenewalRequest
from sitewright.accounts.account_packages.store import PackageContext
from sitewright.accounts.account_packages.sweep.decisions import apply_due_changes
from sitewright.accounts.account_packages.sweep.forecast import NextCharge, next_charges
from sitewright.accounts.account_packages.sweep.service import erase_user
from sitewright.catalogue.packages import service as packages
from sitewright.catalogue.packages.service import currency_order
from sitewright.catalogue.templates.schemas import TemplateOffer
from sitewright.events.kinds import Event
from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer
from sitewright.tenants.brands.clock import service as brand_clock

__all__ = [
    "AccountPackage",
    "NextCharge",
    "Owner",
    "Registered",
    "assign_package",
    "capabilities_of",
    "current_context",
    "decide",
    "erase_user",
    "get_account_packages",
    "had_trial",
    "months_after",
    "next_charges",
    "page_of_account_packages",
    "price_list",
    "record_assigned",
    "register",
    "require_account_package",
    "set_renewal",
    "template_offer_of",
    "write_change",
]


class Registered(msgspec.Struct, frozen=True):
    """The package of a new user: the brand's default one, which is free and has no end."""

    package_ref: int | None
    capabilities: str | None
    """As the database stores them."""
    events: list[Event]
    """To be emitted by the caller, with its own."""


async def register(tx: Transaction, user_ref: int, reseller_ref: int | None, currency_ref: int | None) -> Registered:
    """Assigns the brand's default package to a new user; in a brand without one, a user has no package."""
    context = await store.read_context_of_new_user(tx, reseller_ref, currency_ref)
    now = context.now
    if context.package is None:
        change = Change(user_ref=user_ref, kind=Kind.REGISTRATION, at=now)
    else:
        terms = terms_of(context, context.package, PackageRequest(context.package["package_ref"]))
        change = assign(user_ref, None, terms, Kind.REGISTRATION, now, context.zone)
    capabilities = None if context.package is None else context.package["capabilities"]
    written = await store.write_changes(tx, context.brand_ref, [change], now)
    return Registered(change.package_ref, capabilities, events_of(written, context.currency_codes))


async def assign_package(
    tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, request: PackageRequest
) -> dict[str, str]:
    """Assigns a package: a subscription, trial, upgrade, downgrade, cancellation or renewal (see `classify`).

    The caller has locked the user's row, so that requests for one user are serialized. Returns the capabilities that
    the user has afterwards.
    """
    context = await current_context(tx, sealer, user_ref, request.package_ref)
    change, terms = decide(context, user_ref, request)
    await write_change(tx, sealer, context, change)
    await record_assigned(tx, caller, change, terms.package_ref)
    if terms.is_subscription and context.package is not None:
        return packages.capabilities_of_user(context.package["capabilities"])
    return packages.capabilities_of_user(await store.current_capabilities(tx, user_ref))


def decide(context: PackageContext, user_ref: int, request: PackageRequest) -> tuple[Change, Terms]:
    """What assigning the requested package changes now."""
    package = context.package
    before = None if package is None else _replaced(context.held, package)
    if package is None or not (package["active"] or _is_same(before, package)):
        raise Invalid.fields({"packageRef": {"invalidPackageRef": "is not an active package of your brand"}})
    terms = terms_of(context, package, request)
    before_price = None if before is None else price_today(context, before)
    kind = classify(before, before_price, terms, context.rates)
    return assign(user_ref, before, terms, kind, context.now, context.zone), terms


def _replaced(held: Sequence[Held], package: asyncpg.Record) -> Held | None:
    """The package that a new one replaces: the subscription, or the same add-on where a user may have it only once."""
    if package["is_subscription"]:
        return next((each for each in held if each.is_subscription), None)
    if package["allow_multiple_purchase"]:
        return None
    return next((each for each in held if _is_same(each, package)), None)


def _is_same(held: Held | None, package: asyncpg.Record) -> bool:
    return held is not None and held.package_ref == package["package_ref"]


async def current_context(tx: Transaction, sealer: Sealer, user_ref: int, package_ref: int | None) -> PackageContext:
    """The user's context, after changes that are due have been applied. The user's row is locked."""
    context = await store.read_context(tx, user_ref, package_ref)
    if any(held.due_at is not None and held.due_at <= context.now for held in context.held):
        await apply_due_changes(tx, sealer, context.brand_ref, user_ref)
        context = await store.read_context(tx, user_ref, package_ref)
    return context


async def write_change(tx: Transaction, sealer: Sealer, context: PackageContext, change: Change) -> None:
    """Writes the change with its events and effects: mails, sites that go offline, add-ons that are renewed or end."""
    written = await store.write_changes(tx, context.brand_ref, [change], change.at)
    await apply_effects(tx, effects_of(sealer, context.brand_ref, [change], context.currency_codes))
    await emit_changes(tx, written, context.currency_codes)


async def record_assigned(tx: Transaction, caller: Caller, change: Change, package_ref: int) -> None:
    await audit.record_by(
        tx,
        caller,
        "assign package",
        "user",
        change.user_ref,
        kind=change.kind.value,
        packageRef=package_ref,
        months=change.months,
    )


def terms_of(context: PackageContext, package: asyncpg.Record, request: PackageRequest) -> Terms:
    """The period and the price at which the user would get the package."""
    package_ref = package["package_ref"]
    is_default = package_ref == context.default_package_ref
    prices = price_list(context, package_ref, package["package_currency_ref"])
    periods = prices.periods()
    months = request.billing_frequency or (periods[0] if periods else 1)
    price = Price(Decimal(0), None, months) if is_default else prices.price_for(months)
    if price is None:
        choices = ", ".join(str(period) for period in periods)
        raise Invalid.fields(
            {"billingFrequency": {"invalidBillingFrequency": f"this package has prices for these months: {choices}"}}
        )
    return Terms(
        package_ref=package_ref,
        name=package["name"],
        is_subscription=package["is_subscription"],
        trial_days=package["trial_days"],
        live_sites=package["live_sites"] or 0,
        price=price,
        is_default=is_default,
        delete_on_expiry=request.delete_on_expiry,
    )


def price_today(context: PackageContext, held: Held) -> Price:
    """The current list price of a held package, for comparisons; where it is no longer listed, the price paid."""
    return price_list(context, held.package_ref, held.price.currency_ref).price_for(held.price.months) or held.price


def price_list(context: PackageContext, package_ref: int, package_currency_ref: int | None) -> PriceList:
    currencies = currency_order(context.user_currency_ref, context.brand_currency_ref, package_currency_ref)
    return PriceList([price for price in context.prices if price.package_ref == package_ref], currencies)


async def capabilities_of(tx: Transaction, user_ref: int) -> dict[str, int]:
    """The capabilities of the user's current package, by neutral name; all 0 without one. Do not modify the result."""
    return packages.capabilities_as_numbers(await store.current_capabilities(tx, user_ref))


async def template_offer_of(tx: Transaction, user_ref: int) -> TemplateOffer:
    """The templates that the user's current package offers; none without one."""
    group_ref, capabilities = await store.current_templates(tx, user_ref)
    return TemplateOffer(group_ref, packages.capabilities_as_numbers(capabilities)["templatesAllowed"])


async def had_trial(tx: Transaction, user_ref: int, package_ref: int) -> bool:
    """Whether a trial of this package has ended for the user."""
    return await store.had_trial(tx, user_ref, package_ref)


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
    """Sets whether the package ends with its period. The period itself does not change. The user's row is locked."""
    user_ref = user.ref
    await apply_due_changes(tx, sealer, user.brand_ref, user_ref)
    found = await store.find_account_package(tx, user_ref, account_package_ref)
    if found is None or found["ended_at"] is not None or found["due_at"] is None or found["is_trial"]:
        raise DoesNotRenew
    await store.set_delete_on_expiry(
        tx, user_ref, account_package_ref, request.delete_on_expiry, await brand_clock.now(tx)
    )
    await audit.record_by(
        tx, caller, "set renewal", "account package", account_package_ref, deleteOnExpiry=request.delete_on_expiry
    )
    return (await get_account_packages(tx, caller, user_ref, [account_package_ref]))[account_package_ref]
