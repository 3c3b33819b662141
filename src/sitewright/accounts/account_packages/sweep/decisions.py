"""Decides how due account packages change: renew, expire, or end with a deleted user."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.columns import Columns, columns_of
from sitewright.accounts.account_packages.effects import Effects, apply_effects, effects_of
from sitewright.accounts.account_packages.errors import DoesNotRenew
from sitewright.accounts.account_packages.lifecycle import Change, Held, Terms, expire, renew
from sitewright.accounts.account_packages.package_events import events_of
from sitewright.accounts.account_packages.pricing import Price, PriceList
from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.failures import store as failures
from sitewright.accounts.account_packages.sweep.store import BrandTerms
from sitewright.catalogue.packages.service import currency_codes, currency_order
from sitewright.events import service as events
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer
from sitewright.tenants.brands.clock import service as brand_clock

PAUSE_AFTER = 100
"""Rows after which other tasks run, above all the one that writes the batch before this one."""


class Decisions(msgspec.Struct, frozen=True):
    """Changes of due account packages whose users are locked, ready to be written."""

    changes: list[Change]
    columns: Columns
    effects: Effects
    currency_codes: dict[int, str]
    """Empty where nothing is charged."""
    at: datetime
    """The brand's time at which they are decided."""


async def apply_due_changes(tx: Transaction, sealer: Sealer, brand_ref: int, user_ref: int) -> None:
    """Applies all due changes of one user, whose row is locked, before another change of that user."""
    until, was_due = await brand_clock.now(tx), False
    while rows := await due_store.read_due(tx, until, [user_ref]):
        await write(tx, brand_ref, await decide(tx, sealer, brand_ref, rows))
        was_due = True
    if was_due:
        await failures.delete(tx, user_ref)


async def decide(tx: Transaction, sealer: Sealer, brand_ref: int, rows: Sequence[Any]) -> Decisions:
    """One change for each row, in the order they are due."""
    brand = await due_store.read_brand(tx)
    changes = await _decide(tx, brand, rows)
    deleted = {row["user_ref"] for row in rows if row["is_deleted"]}
    return await _with_effects(tx, changes, sealer, brand_ref, brand.now, deleted)


async def _with_effects(
    tx: Transaction,
    changes: list[Change],
    sealer: Sealer,
    brand_ref: int,
    now: datetime,
    deleted: Collection[int] = (),
) -> Decisions:
    """`deleted`: users who get no mail."""
    costs_money = any(change.charge is not None for change in changes)
    codes = await currency_codes(tx) if costs_money else {}
    await asyncio.sleep(0)
    effects = effects_of(sealer, brand_ref, changes, codes, unmailed=deleted)
    await asyncio.sleep(0)
    return Decisions(changes, columns_of(changes), effects, codes, now)


async def write(tx: Transaction, brand_ref: int, decided: Decisions) -> None:
    """The events are prepared while the database inserts the mails."""
    written = await store.write_changes(tx, brand_ref, decided.changes, decided.at, decided.columns)
    effects = asyncio.create_task(apply_effects(tx, decided.effects))
    try:
        await asyncio.sleep(0)  # sends the first statement
        prepared = events.prepare(events_of(written, decided.currency_codes))
    finally:
        await effects
    await events.emit_prepared(tx, prepared)


async def renew_early(tx: Transaction, sealer: Sealer, brand_ref: int, user_ref: int, account_package_ref: int) -> None:
    """Adds a period after the current one, and charges it now. The user's row is locked."""
    row = await due_store.read_running(tx, user_ref, account_package_ref)
    if row is None or row["is_trial"] or row["is_deleted"] or row["renewal_stopped"]:
        raise DoesNotRenew
    brand = await due_store.read_brand(tx)
    prices = Prices(brand, [row])
    await prices.read(tx)
    held = store.held_of(row, brand.default_package_ref)
    change = msgspec.structs.replace(renew(held, _price(row, held, prices), brand.zone), at=brand.now)
    await write(tx, brand_ref, await _with_effects(tx, [change], sealer, brand_ref, change.at))


async def plan_changes(tx: Transaction, rows: Sequence[Any]) -> list[Change]:
    """What would happen to each of these packages when it is due, independently of the others."""
    if not rows:
        return []
    brand = await due_store.read_brand(tx)
    prices, default = Prices(brand, rows), _default(brand)
    await prices.read(tx)
    return [_change_of(row, brand, default, prices) for row in rows]


async def _decide(tx: Transaction, brand: BrandTerms, rows: Sequence[Any]) -> list[Change]:
    """Stops before a row that is due later than a renewal of this batch is due again, to keep the due order."""
    prices, default = Prices(brand, rows), _default(brand)
    await prices.read(tx)
    changes: list[Change] = []
    horizon: datetime | None = None
    for number, row in enumerate(rows):
        if number % PAUSE_AFTER == 0:
            await asyncio.sleep(0)
        if horizon is not None and row["due_at"] > horizon:
            break
        change = _change_of(row, brand, default, prices)
        changes.append(change)
        if change.renewed_until is not None:
            horizon = change.renewed_until if horizon is None else min(horizon, change.renewed_until)
    return changes


def _change_of(row: Any, brand: BrandTerms, default: Terms | None, prices: "Prices") -> Change:
    held = store.held_of(row, brand.default_package_ref)
    if held.is_trial:
        return expire(held, default, brand.zone, "trialEnded")
    if row["is_deleted"]:
        return expire(held, default, brand.zone, "userDeleted")
    if held.delete_on_expiry or row["renewal_stopped"]:
        return expire(held, default, brand.zone, "expired")
    return renew(held, _price(row, held, prices), brand.zone)


def _price(row: Any, held: Held, prices: "Prices") -> Price:
    if row["stays_free"] or held.is_default:
        return Price(Decimal(0), None, held.price.months)
    return prices.price_of(row) or held.price


def _default(brand: BrandTerms) -> Terms | None:
    if brand.default_package_ref is None:
        return None
    return Terms(
        package_ref=brand.default_package_ref,
        name=brand.default_package_name or "",
        is_subscription=True,
        trial_days=0,
        live_sites=brand.default_live_sites,
        price=Price(Decimal(0), None, 1),
        is_default=True,
    )


class Prices:
    """The current prices for a batch, cached, since many rows share a package, currency and period."""

    def __init__(self, brand: BrandTerms, rows: Sequence[Any]) -> None:
        self._brand = brand
        renewing = [row for row in rows if not row["is_trial"]]
        self._package_refs = {row["package_ref"] for row in renewing}
        self._reseller_refs = {row["reseller_ref"] for row in renewing if row["reseller_ref"] is not None}
        self._cache: dict[tuple[int | None, ...], Price | None] = {}

    async def read(self, tx: Transaction) -> None:
        self._listed = (
            await due_store.read_prices(tx, self._package_refs, self._reseller_refs) if self._package_refs else []
        )

    def price_of(self, row: Any) -> Price | None:
        key = (row["package_ref"], row["reseller_ref"], row["user_currency_ref"], row["billing_period_months"])
        if key not in self._cache:
            self._cache[key] = self._find(*key, row["package_currency_ref"])
        return self._cache[key]

    def _find(
        self, package_ref: int, reseller_ref: int | None, user_currency: int | None, months: int, package_currency: int
    ) -> Price | None:
        own = [
            price
            for of_reseller, price in self._listed
            if price.package_ref == package_ref and of_reseller in (None, reseller_ref)
        ]
        currencies = currency_order(user_currency, self._brand.default_currency_ref, package_currency)
        return PriceList(own, currencies).price_for(months)
