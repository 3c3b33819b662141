from decimal import Decimal

import pytest

from sitewright.catalogue.packages.service import formatted_price


@pytest.mark.parametrize(
    ("code", "locale", "written"),
    [
        ("USD", "en_US", "$1,234.50"),
        ("EUR", "de_DE", "1.234,50\N{NO-BREAK SPACE}€"),
        ("BRL", "pt_BR", "R$\N{NO-BREAK SPACE}1.234,50"),
    ],
)
def test_an_amount_is_formatted_in_the_currencys_locale(code: str, locale: str, written: str) -> None:
    assert formatted_price(Decimal("1234.50"), code, locale) == written
