"""The rules of resellers' prices. The reseller's row is locked before one of its prices changes."""

from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.accounts.resellers.errors import PriceNotFound
from sitewright.accounts.resellers.prices import store
from sitewright.accounts.resellers.prices.schemas import NewPrice, PriceChanges
from sitewright.catalogue.packages import service as packages
from sitewright.catalogue.packages.schemas import Price
from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import FieldErrors

__all__ = [
    "NewPrice",
    "PriceChanges",
    "check_price",
    "create_price",
    "delete_price",
    "edit_price",
    "get_price",
    "list_prices",
]


async def check_price(tx: Transaction, read: dict[str, Any]) -> FieldErrors:
    """Checks of a price that go beyond its types."""
    errors: FieldErrors = {}
    package_ref, currency_ref = read.get("package_ref"), read.get("currency_ref")
    if package_ref is not None and not await packages.package_exists(tx, package_ref):
        errors["packageRef"] = {"invalidPackageRef": "is not a package of your brand"}
    if currency_ref is not None and not await packages.currency_exists(tx, currency_ref):
        errors["currencyRef"] = {"invalidCurrencyRef": "is not a currency"}
    return errors


async def list_prices(tx: Transaction, reseller_ref: int, window: Window) -> tuple[list[Price], Page]:
    rows = await store.list_prices(tx, reseller_ref, window)
    return await packages.serialize_prices(tx, window.shown(rows)), cut(window, [row["ref"] for row in rows])


async def get_price(tx: Transaction, reseller_ref: int, price_ref: int) -> Price:
    row = await store.find_price(tx, reseller_ref, price_ref)
    if row is None:
        raise PriceNotFound
    [price] = await packages.serialize_prices(tx, [row])
    return price


async def create_price(tx: Transaction, caller: Caller, reseller_ref: int, new: NewPrice) -> Price:
    ref = await store.insert_price(tx, reseller_ref, msgspec.structs.asdict(new))
    price = await get_price(tx, reseller_ref, ref)
    await _record(tx, caller, "create", price, reseller_ref)
    return price


async def edit_price(
    tx: Transaction, caller: Caller, reseller_ref: int, price_ref: int, changes: PriceChanges
) -> Price:
    columns = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    if columns:
        await store.update_price(tx, price_ref, columns)
    price = await get_price(tx, reseller_ref, price_ref)
    await _record(tx, caller, "edit", price, reseller_ref)
    return price


async def delete_price(tx: Transaction, caller: Caller, reseller_ref: int, price: Price) -> None:
    await store.delete_price(tx, price.ref)
    await _record(tx, caller, "delete", price, reseller_ref)


async def _record(tx: Transaction, caller: Caller, action: str, price: Price, reseller_ref: int) -> None:
    """Audits the change with its amounts, so that the audit shows which price applied when."""
    await audit.record_by(
        tx,
        caller,
        action,
        "reseller price",
        price.ref,
        resellerRef=reseller_ref,
        packageRef=price.package_ref,
        currencyRef=price.currency.ref,
        months=price.billing_period_months,
        price=price.price,
        offerPrice=price.offer_price,
    )
