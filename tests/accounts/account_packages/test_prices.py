"""The price of a package: the reseller's before the package's own, in the user's currency if there is one; for a period
without a price, that number of monthly prices."""

from decimal import Decimal

import pytest

from sitewright.accounts.account_packages.pricing import ListedPrice, Price, PriceList, is_cheaper
from tests.support.packages import EUR, USD

LIST = [(False, USD, 1, "5.99"), (False, USD, 12, "49"), (False, EUR, 1, "5.49"), (False, EUR, 0, "99")]
RESELLERS = [(True, USD, 1, "4")]


def price_list(*lines: tuple[bool, int, int, str], currencies: tuple[int, ...] = (USD, EUR)) -> PriceList:
    prices = [
        ListedPrice(1, resellers, currency, months, Decimal(amount)) for resellers, currency, months, amount in lines
    ]
    return PriceList(prices, currencies)


@pytest.mark.parametrize(
    ("months", "currencies", "expected"),
    [
        (1, (USD, EUR), ("5.99", USD)),
        (12, (USD, EUR), ("49", USD)),
        (7, (USD, EUR), ("41.93", USD)),
        (12, (EUR, USD), ("65.88", EUR)),
        (1200, (USD, EUR), ("7188.00", USD)),
        (1, (3, EUR), ("5.49", EUR)),
    ],
)
def test_a_period_without_a_price_costs_a_multiple_of_the_monthly_price(
    months: int, currencies: tuple[int, ...], expected: tuple[str, int]
) -> None:
    price = price_list(*LIST, currencies=currencies).price_for(months)
    assert price == Price(Decimal(expected[0]), expected[1], months)


def test_a_resellers_price_replaces_the_packages_for_its_period() -> None:
    for lines in ([*LIST, *RESELLERS], [*RESELLERS, *LIST]):
        prices = price_list(*lines)
        assert prices.price_for(1) == Price(Decimal(4), USD, 1)
        assert prices.price_for(12) == Price(Decimal(49), USD, 12)
        assert prices.price_for(7) == Price(Decimal(28), USD, 7)
        assert prices.periods() == [1, 12]


def test_a_package_without_prices_is_free_and_a_price_for_zero_months_is_ignored() -> None:
    for prices in (price_list(), price_list((False, USD, 0, "10")), price_list(*LIST, currencies=(3,))):
        assert prices.price_for(6) == Price(Decimal(0), None, 6)
        assert prices.periods() == []


def test_a_period_without_a_price_cannot_be_bought_without_a_monthly_price() -> None:
    assert price_list((False, USD, 12, "49")).price_for(6) is None


def test_the_shortest_period_comes_first() -> None:
    assert price_list((False, USD, 12, "49"), (False, USD, 3, "15")).periods() == [3, 12]


def test_prices_compare_by_month_and_across_currencies_by_rate() -> None:
    rates = {USD: Decimal(1), EUR: Decimal("0.92")}
    assert is_cheaper(Price(Decimal(49), USD, 12), Price(Decimal("5.99"), USD, 1), rates)
    assert not is_cheaper(Price(Decimal(10), USD, 3), Price(Decimal(20), USD, 6), rates)
    assert not is_cheaper(Price(Decimal(20), USD, 6), Price(Decimal(10), USD, 3), rates)
    assert is_cheaper(Price(Decimal(10), USD, 1), Price(Decimal("9.3"), EUR, 1), rates)
    assert not is_cheaper(Price(Decimal("9.2"), EUR, 1), Price(Decimal(10), USD, 1), rates)
