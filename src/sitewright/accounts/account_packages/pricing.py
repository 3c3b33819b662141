"""The price of a package for an account holder and a number of months.

Which of several prices takes precedence is decided by `catalogue.packages.pricing`. Where a list has no price for the
period, the monthly price is multiplied.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

import msgspec

from sitewright.catalogue.packages.service import PriceKey, effective_prices

MAX_MONTHS = 1200


class ListedPrice(msgspec.Struct, frozen=True):
    """One line of a package's price list, or of a reseller's for that package."""

    package_ref: int
    is_resellers: bool
    currency_ref: int
    months: int
    amount: Decimal

    @property
    def key(self) -> PriceKey:
        return self.package_ref, self.currency_ref, self.months


class Price(msgspec.Struct, frozen=True, gc=False):
    amount: Decimal
    currency_ref: int | None
    months: int

    @property
    def is_free(self) -> bool:
        return self.amount == 0


class PriceList:
    """All prices of one package that an account holder may get."""

    def __init__(self, prices: Sequence[ListedPrice], currency_refs: Sequence[int]) -> None:
        """`currency_refs`: the currencies to try, in order of preference. Prices for zero months are ignored."""
        self._prices = [price for price in prices if price.months > 0]
        self._currency_refs = currency_refs

    def periods(self) -> list[int]:
        """The periods there is a price for, the shortest first."""
        return sorted(next(self._lists(), {}))

    def price_for(self, months: int) -> Price | None:
        """None when there are prices, but neither for this period nor for one month. Without any price it is free."""
        if not any(self._lists()):
            return Price(Decimal(0), None, months)
        for by_months in self._lists():
            if months in by_months:
                return Price(by_months[months].amount, by_months[months].currency_ref, months)
            if 1 in by_months:
                return Price(by_months[1].amount * months, by_months[1].currency_ref, months)
        return None

    def _lists(self) -> Iterator[dict[int, ListedPrice]]:
        """The price lists that are not empty, by period, in the order of preference."""
        effective = effective_prices((price.key, price.is_resellers, price) for price in self._prices).values()
        for currency_ref in self._currency_refs:
            by_months = {price.months: price for price in effective if price.currency_ref == currency_ref}
            if by_months:
                yield by_months


def is_cheaper(one: Price, other: Price, rates: dict[int, Decimal]) -> bool:
    """Whether `one` costs less a month than `other`; two currencies are compared by their rates."""
    return _per_month(one, rates) < _per_month(other, rates)


def _per_month(price: Price, rates: dict[int, Decimal]) -> Fraction:
    rate = Fraction(1) if price.currency_ref is None else Fraction(rates[price.currency_ref])
    return Fraction(price.amount) / rate / price.months
