"""Which price counts: the one place for the precedence of prices.

1. For the same package, currency and period, a reseller's price replaces the package's own.
2. The account holder's currency (else the brand's) goes before the package's default currency.
3. What is charged is the offer price, where there is one: the column `amount` of the views `package_price_list` and
   `reseller_price_list`.
"""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")
PriceKey = tuple[int, int, int]
"""Package, currency and number of months."""


def effective_prices(prices: Iterable[tuple[PriceKey, bool, T]]) -> dict[PriceKey, T]:
    """Of prices with their key and whether they are a reseller's, the one that counts for each key, ordered by key."""
    chosen = {key: price for key, _, price in sorted(prices, key=lambda each: each[1])}
    return {key: chosen[key] for key in sorted(chosen)}


def currency_order(user_ref: int | None, brand_ref: int | None, package_ref: int | None) -> list[int]:
    """The currencies to look for a price in, the best first. The refs are those of currencies."""
    return [ref for ref in (user_ref or brand_ref, package_ref) if ref is not None]
