"""What becomes of account packages whose time has come."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.effects import Effects, apply_effects, effects_of
from sitewright.accounts.account_packages.errors import DoesNotRenew
from sitewright.accounts.account_packages.lifecycle import Change, Held, Terms, expire, renew
from sitewright.accounts.account_packages.pricing import Price, PriceList
from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.failures import store as failures
from sitewright.accounts.account_packages.sweep.store import BrandTerms
from sitewright.catalogue.packages.service import currency_order
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer


class Decided(msgspec.Struct, frozen=True):
    """What becomes of due account packages whose users are locked, ready to be written."""

    changes: list[Change]
    effects: Effects


async def settle(tx: Transaction, sealer: Sealer, brand_ref: int, user_ref: int) -> None:
    """All that is due of one user, whose row is locked: what comes next must find it done."""
    until, was_due = clock.now(), False
    while rows := await due_store.read_due(tx, until, [user_ref]):
        await write(tx, brand_ref, await decide(tx, sealer, brand_ref, rows))
        was_due = True
    if was_due:
        await failures.delete(tx, user_ref)


async def decide(tx: Transaction, sealer: Sealer, brand_ref: int, rows: Sequence[Any]) -> Decided:
    """One step of each of the rows, in the order they are due."""
    changes = await _decide(tx, await due_store.read_brand(tx), rows)
    gone = {row["user_ref"] for row in rows if row["is_gone"]}
    return await _ready(tx, changes, sealer, brand_ref, gone)


async def _ready(
    tx: Transaction, changes: list[Change], sealer: Sealer, brand_ref: int, gone: Collection[int] = ()
) -> Decided:
    """`gone`: users who are told nothing."""
    costs_money = any(change.charge is not None for change in changes)
    codes = await due_store.currency_codes(tx) if costs_money else {}
    return Decided(changes, effects_of(sealer, brand_ref, changes, codes, unmailed=gone))


async def write(tx: Transaction, brand_ref: int, decided: Decided) -> None:
    await store.write_changes(tx, brand_ref, decided.changes, clock.now())
    await apply_effects(tx, decided.effects)


async def renew_early(tx: Transaction, sealer: Sealer, brand_ref: int, user_ref: int, account_package_ref: int) -> None:
    """One more period after the running one, charged now. The user's row is locked."""
    row = await due_store.read_running(tx, user_ref, account_package_ref)
    if row is None or row["is_trial"] or row["is_gone"] or row["has_stopped"]:
        raise DoesNotRenew
    brand = await due_store.read_brand(tx)
    prices = Prices(brand, [row])
    await prices.read(tx)
    held = store.held_of(row, brand.default_package_ref)
    change = msgspec.structs.replace(renew(held, _price(row, held, prices), brand.zone), at=clock.now())
    await write(tx, brand_ref, await _ready(tx, [change], sealer, brand_ref))


async def _decide(tx: Transaction, brand: BrandTerms, rows: Sequence[Any]) -> list[Change]:
    """A renewal that is itself due again before the next row must come before it, so the batch ends there."""
    prices, default = Prices(brand, rows), _default(brand)
    await prices.read(tx)
    changes: list[Change] = []
    horizon: datetime | None = None
    for row in rows:
        if horizon is not None and row["due_at"] > horizon:
            break
        change = _due_change(row, brand, default, prices)
        changes.append(change)
        if change.renewed_until is not None:
            horizon = change.renewed_until if horizon is None else min(horizon, change.renewed_until)
    return changes


def _due_change(row: Any, brand: BrandTerms, default: Terms | None, prices: "Prices") -> Change:
    held = store.held_of(row, brand.default_package_ref)
    if held.is_trial:
        return expire(held, default, brand.zone, "trialEnded")
    if row["is_gone"]:
        return expire(held, default, brand.zone, "userDeleted")
    if held.delete_on_expiry or row["has_stopped"]:
        return expire(held, default, brand.zone, "expired")
    return renew(held, _price(row, held, prices), brand.zone)


def _price(row: Any, held: Held, prices: "Prices") -> Price:
    if row["stays_free"]:
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
    """Today's prices of everything in a batch; few packages, currencies and periods are shared by many rows."""

    def __init__(self, brand: BrandTerms, rows: Sequence[Any]) -> None:
        self._brand = brand
        renewing = [row for row in rows if not row["is_trial"]]
        self._package_refs = {row["package_ref"] for row in renewing}
        self._reseller_refs = {row["reseller_ref"] for row in renewing if row["reseller_ref"] is not None}
        self._known: dict[tuple[int | None, ...], Price | None] = {}

    async def read(self, tx: Transaction) -> None:
        self._listed = (
            await due_store.read_prices(tx, self._package_refs, self._reseller_refs) if self._package_refs else []
        )

    def price_of(self, row: Any) -> Price | None:
        key = (row["package_ref"], row["reseller_ref"], row["user_currency_ref"], row["billing_period_months"])
        if key not in self._known:
            self._known[key] = self._find(*key, row["package_currency_ref"])
        return self._known[key]

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
