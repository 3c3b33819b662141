"""Reads packages and serializes them with their effective prices: a reseller's own price replaces the brand's."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar

import asyncpg
import msgspec
from babel.numbers import format_currency

from sitewright.catalogue.packages import store
from sitewright.catalogue.packages.capabilities import CAPABILITIES, EFFECTS, OTHER_SYSTEMS
from sitewright.catalogue.packages.errors import PackageNotFound
from sitewright.catalogue.packages.pricing import PriceKey, currency_order, effective_prices
from sitewright.catalogue.packages.schemas import (
    Currency,
    DomainProduct,
    ListedPackage,
    PackageDetails,
    PackageFields,
    PackageFilter,
    PackageTemplateGroup,
    Price,
    ProductSupplier,
)
from sitewright.catalogue.struct_rows import struct_of
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, cut_by_size
from sitewright.tenants.brands import service as brands

P = TypeVar("P", bound=PackageFields)
__all__ = [
    "CAPABILITIES",
    "EFFECTS",
    "OTHER_SYSTEMS",
    "PriceKey",
    "capabilities_as_numbers",
    "capabilities_of_user",
    "currency_codes",
    "currency_exists",
    "currency_order",
    "effective_prices",
    "formatted_price",
    "get_package",
    "get_packages",
    "list_currencies",
    "list_currency_codes",
    "list_names",
    "list_packages",
    "package_exists",
    "serialize_prices",
    "sizes_of_packages",
]


async def list_packages(
    tx: Transaction, wanted: PackageFilter, reseller_ref: int | None
) -> tuple[list[ListedPackage], Page]:
    """List a page of packages, bounded in bytes."""
    page = cut_by_size(wanted.window, await store.list_sizes(tx, wanted, reseller_ref))
    if not page.refs:
        await brands.require_brand(tx)
    found = {row["ref"]: row for row in await store.find_packages(tx, page.refs)}
    refs = [ref for ref in page.refs if ref in found]
    return await _serialize(tx, [found[ref] for ref in refs], ListedPackage, reseller_ref), page.of_rows(refs)


async def sizes_of_packages(tx: Transaction, package_refs: Collection[int], reseller_ref: int | None) -> dict[int, int]:
    """Return the approximate serialized size of each package, so that lists containing them can be bounded."""
    return await store.sizes_of_packages(tx, package_refs, reseller_ref)


async def get_package(tx: Transaction, package_ref: int, reseller_ref: int | None = None) -> PackageDetails:
    row = await store.find_package(tx, package_ref)
    if row is None:
        raise PackageNotFound
    [package] = await _serialize(tx, [row], PackageDetails, reseller_ref)
    return package


async def get_packages(
    tx: Transaction, package_refs: Collection[int], reseller_ref: int | None = None
) -> dict[int, PackageDetails]:
    """Return those of the packages that are visible to the brand, by ref."""
    rows = await store.find_packages(tx, package_refs)
    return {package.ref: package for package in await _serialize(tx, rows, PackageDetails, reseller_ref)}


async def list_names(tx: Transaction) -> list[tuple[int, str]]:
    """Refs and names of the packages that are visible to the brand, for a choice."""
    return await store.list_names(tx)


async def list_currency_codes(tx: Transaction) -> list[tuple[int, str]]:
    """Refs and codes of all currencies, for a choice."""
    return await store.list_currency_codes(tx)


async def currency_codes(tx: Transaction) -> dict[int, str]:
    """The codes of all currencies by ref."""
    return dict(await store.list_currency_codes(tx))


async def package_exists(tx: Transaction, package_ref: int) -> bool:
    """Whether the package is visible to the brand."""
    return await store.package_exists(tx, package_ref)


async def currency_exists(tx: Transaction, currency_ref: int) -> bool:
    return await store.currency_exists(tx, currency_ref)


async def list_currencies(tx: Transaction) -> list[Currency]:
    """All currencies of the environment, by code."""
    return sorted((_currency(row) for row in await store.list_currencies(tx)), key=lambda each: each.alpha_code)


async def serialize_prices(tx: Transaction, rows: Sequence[asyncpg.Record]) -> list[Price]:
    """Serialize rows of `package_prices` or `reseller_prices`, with `type` and `package_name`."""
    currencies = {row["ref"]: row for row in await store.list_currencies(tx)}
    serialized = {ref: _currency(row) for ref, row in currencies.items()}
    return [_price(row, serialized[row["currency_ref"]], currencies[row["currency_ref"]]["locale"]) for row in rows]


async def _serialize(
    tx: Transaction, rows: Sequence[asyncpg.Record], kind: type[P], reseller_ref: int | None
) -> list[P]:
    prices: dict[int, list[Price]] = defaultdict(list)
    for price in await serialize_prices(tx, await _effective_prices(tx, [row["ref"] for row in rows], reseller_ref)):
        prices[price.package_ref].append(price)
    return [_package(dict(row), prices[row["ref"]], kind) for row in rows]


async def _effective_prices(
    tx: Transaction, package_refs: Sequence[int], reseller_ref: int | None
) -> list[asyncpg.Record]:
    prices = await store.list_prices(tx, package_refs, reseller_ref)
    return list(effective_prices((_key(price), price["type"] == "reseller", price) for price in prices).values())


def _key(price: asyncpg.Record) -> PriceKey:
    return price["package_ref"], price["currency_ref"], price["billing_period_months"]


def _package(row: dict[str, Any], prices: list[Price], kind: type[P]) -> P:
    group_ref = row["template_group_ref"]
    row |= {
        "brand_ref": row["asking_brand_ref"],
        "capabilities": dict.fromkeys(CAPABILITIES, 0) | msgspec.json.decode(row["capabilities"]),
        "template_group": None if group_ref is None else PackageTemplateGroup(row["template_group_name"], group_ref),
        "domain_product": _domain_product(row),
        "prices": prices,
    }
    return struct_of(kind, row)


def _domain_product(row: Mapping[str, Any]) -> DomainProduct | None:
    if row["domain_product"] is None:
        return None
    supplier = struct_of(ProductSupplier, msgspec.json.decode(row["product_supplier"]))
    return struct_of(DomainProduct, msgspec.json.decode(row["domain_product"]) | {"product_supplier": supplier})


def _currency(row: asyncpg.Record) -> Currency:
    return struct_of(Currency, {**row, "currency_rate": float(row["currency_rate"])})


def _price(row: asyncpg.Record, currency: Currency, locale: str) -> Price:
    price, offer_price = row["price"], row["offer_price"]
    return Price(
        ref=row["ref"],
        billing_period_months=row["billing_period_months"],
        price=str(price),
        offer_price=None if offer_price is None else str(offer_price),
        currency=currency,
        package_ref=row["package_ref"],
        package_name=row["package_name"],
        type=row["type"],
        formatted_price=formatted_price(price, currency.alpha_code, locale),
    )


@lru_cache(maxsize=1024)
def capabilities_as_numbers(capabilities: str | None) -> dict[str, int]:
    """Decode stored capabilities and fill in missing ones. The result is cached: do not modify it."""
    return dict.fromkeys(CAPABILITIES, 0) | msgspec.json.decode(capabilities or "{}", type=dict[str, int])


@lru_cache(maxsize=1024)
def capabilities_of_user(capabilities: str | None) -> dict[str, str]:
    """Return capabilities as in user records: numbers as text, `cdnEnabled` as Y or N. Cached: do not modify."""
    numbers = capabilities_as_numbers(capabilities)
    return {name: str(number) for name, number in numbers.items()} | {"cdnEnabled": "NY"[bool(numbers["cdnEnabled"])]}


@lru_cache(maxsize=4096)
def formatted_price(amount: Decimal, alpha_code: str, locale: str) -> str:
    """Format an amount in the currency's locale."""
    return format_currency(amount, alpha_code, locale=locale)
