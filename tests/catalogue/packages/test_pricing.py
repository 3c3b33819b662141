"""The precedence of prices, which the catalogue, new packages and renewals share."""

import pytest

from sitewright.catalogue.packages.pricing import currency_order, effective_prices

DOLLARS, EUROS, POUNDS = 1, 2, 3


@pytest.mark.parametrize("is_resellers_first", [False, True])
def test_a_resellers_price_replaces_the_packages_own_for_the_same_currency_and_period(is_resellers_first: bool) -> None:
    prices = [
        ((7, DOLLARS, 1), False, "5.99"),
        ((7, DOLLARS, 12), False, "49.00"),
        ((7, EUROS, 12), False, "45.00"),
        ((7, DOLLARS, 12), True, "39.00"),
        ((8, DOLLARS, 12), False, "99.00"),
    ]
    assert effective_prices(reversed(prices) if is_resellers_first else prices) == {
        (7, DOLLARS, 1): "5.99",
        (7, DOLLARS, 12): "39.00",
        (7, EUROS, 12): "45.00",
        (8, DOLLARS, 12): "99.00",
    }


@pytest.mark.parametrize(
    ("user", "brand", "package", "order"),
    [
        (EUROS, DOLLARS, POUNDS, [EUROS, POUNDS]),
        (None, DOLLARS, POUNDS, [DOLLARS, POUNDS]),
        (None, None, POUNDS, [POUNDS]),
        (EUROS, None, None, [EUROS]),
    ],
)
def test_the_users_currency_goes_before_the_packages(
    user: int | None, brand: int | None, package: int | None, order: list[int]
) -> None:
    assert currency_order(user, brand, package) == order
