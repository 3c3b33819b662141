"""`/account`: the account holder's overview."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import log_in, page_text
from tests.support.cast import OTHER_BRAND
from tests.support.packages import STARTER, TRIAL
from tests.support.users import OwnerConnection, assign_package, make_user

LATE = datetime(2031, 1, 31, 23, 30, tzinfo=UTC)


async def test_the_page_has_the_brands_name(anonymous: httpx.AsyncClient, user: int) -> None:
    await log_in(anonymous)
    response = await anonymous.get("/account")
    for words in ("Northwind Hosting", "Hello, Ann Example", "Free", "Free of charge", "You have no website yet"):
        assert words in page_text(response)
    assert 'href="https://northwind.example/help"' in response.text
    assert '<html lang="en">' in response.text


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"price": Decimal("5.99")}, "$5.99 a month"),
        ({"price": Decimal("49.00"), "billing_period_months": 12}, "$49.00 a year"),
        ({"price": Decimal("90.00"), "billing_period_months": 24}, "$90.00 every 2 years"),
        ({"price": Decimal("15.00"), "billing_period_months": 3}, "$15.00 every 3 months"),
        ({"price": Decimal("5.99"), "due_at": LATE}, "Renews on January 31, 2031"),
        ({"price": Decimal("5.99"), "due_at": LATE, "delete_on_expiry": True}, "Ends on January 31, 2031"),
        ({"is_trial": True, "due_at": LATE}, "Free of charge Trial until January 31, 2031"),
    ],
)
async def test_the_package_is_described(
    anonymous: httpx.AsyncClient, user: int, owner_connection: OwnerConnection, columns: dict[str, Any], words: str
) -> None:
    await assign_package(owner_connection, 1, user, STARTER, currency_ref=1, **columns)
    await log_in(anonymous)
    page = page_text(await anonymous.get("/account"))
    assert "Starter" in page
    assert words in page


async def test_dates_are_in_the_brands_time_zone_and_language(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set time_zone = 'Europe/Paris' where brand_ref = 2")
    user = await make_user(owner_connection, resources, OTHER_BRAND, language_code="fr")
    columns = {"price": Decimal("1234.50"), "currency_ref": 2, "due_at": LATE}
    await assign_package(owner_connection, OTHER_BRAND, user, TRIAL, **columns)
    await log_in(anonymous)
    page = page_text(await anonymous.get("/account"))
    assert "Bonjour, Ann Example" in page
    assert "1 234,50 € par mois" in page.replace("\u202f", " ").replace("\xa0", " ")
    assert "Se renouvelle le 1 février 2031" in page


async def test_names_are_shown_as_text(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, first_name="<b>Ann</b>", last_name="{{ 7 * 7 }} {name}")
    await owner_connection.execute("update brands set name = 'A & <i>B</i>' where brand_ref = 1")
    await log_in(anonymous)
    response = await anonymous.get("/account")
    assert "&lt;b&gt;Ann&lt;/b&gt; {{ 7 * 7 }} {name}" in response.text
    assert "A &amp; &lt;i&gt;B&lt;/i&gt;" in response.text


async def test_a_language_without_texts_falls_back_to_the_brands(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, language_code="xx")
    await log_in(anonymous)
    assert '<html lang="en">' in (await anonymous.get("/account")).text
