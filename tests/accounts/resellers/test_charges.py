"""What a reseller's prices are for: the catalogue it sees, and what its users are charged."""

from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.sweep.service import do_due_changes
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.resellers.conftest import ClientFor
from tests.accounts.resellers.shapes import create_price, create_reseller_with_credentials, edit_reseller
from tests.accounts.users.shapes import create_user, ref_of_new_user
from tests.catalogue.packages.shapes import PACKAGE, PRICE, assert_shape
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.ledger import Ledger
from tests.support.packages import EUR, PRO, STARTER

MONTH = 32 * 24 * 3600
PriceLine = tuple[str, int, str, str, str | None]


def prices_in(package: dict[str, Any]) -> list[PriceLine]:
    return [
        (each["currency"]["alphaCode"], each["billingPeriodMonths"], each["type"], each["price"], each["offerPrice"])
        for each in package["prices"]
    ]


STANDARD: list[PriceLine] = [
    ("USD", 1, "standard", "5.99", None),
    ("USD", 12, "standard", "59.00", "49.00"),
    ("EUR", 1, "standard", "5.49", None),
    ("EUR", 12, "standard", "54.00", None),
]


async def starter_prices(client: httpx.AsyncClient) -> list[PriceLine]:
    """The prices of Starter that the client sees: the same in the list of packages and in the package itself."""
    listed = (await client.get(f"/brands/{OWN_BRAND}/packages")).json()["packages"]
    alone = (await client.get(f"/packages/{STARTER}")).json()["package"]
    [in_list] = [prices_in(package) for package in listed if package["ref"] == STARTER]
    assert in_list == prices_in(alone)
    return in_list


async def assign(client: httpx.AsyncClient, user_ref: int, package_ref: int, months: int | None = None) -> None:
    body = {"packageRef": package_ref, "billingFrequency": months}
    response = await client.post(f"/users/{user_ref}/account-packages", json=body)
    assert response.status_code == 200, response.text


async def test_a_reseller_sees_its_own_prices_in_place_of_the_brands(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    assert await starter_prices(reseller) == STANDARD
    await create_price(owner, RESELLER_REF, billingPeriodMonths=12, price=40, offerPrice=None)
    await create_price(owner, RESELLER_REF, currencyRef=EUR, price=9, offerPrice=8)
    await create_price(owner, RESELLER_REF, billingPeriodMonths=3, price=15)
    assert await starter_prices(reseller) == [
        STANDARD[0],
        ("USD", 3, "reseller", "15.00", "10.00"),
        ("USD", 12, "reseller", "40.00", None),
        ("EUR", 1, "reseller", "9.00", "8.00"),
        STANDARD[3],
    ]


async def test_others_do_not_see_a_resellers_prices(
    owner: httpx.AsyncClient, owner_operator: httpx.AsyncClient, client_for: ClientFor
) -> None:
    await create_price(owner, RESELLER_REF, price=1)
    _, credentials = await create_reseller_with_credentials(owner)
    for client in (owner, owner_operator, client_for(credentials)):
        assert await starter_prices(client) == STANDARD


async def test_a_users_package_shows_the_resellers_prices_to_the_reseller_only(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    price = await create_price(owner, RESELLER_REF, price=1)
    user_ref = await ref_of_new_user(reseller)
    await assign(reseller, user_ref, STARTER)
    for client, expected in ((reseller, "reseller"), (owner, "standard")):
        packages = (await client.get(f"/users/{user_ref}/account-packages")).json()["accountPackages"]
        package = packages[-1]["package"]
        assert_shape(package, PACKAGE | {"urlID": (str, type(None))})
        assert_shape(package["prices"][0], PRICE)
        assert package["prices"][0]["type"] == expected
    assert price in (await reseller.get(f"/packages/{STARTER}")).json()["package"]["prices"]


@pytest.mark.parametrize(
    ("price", "months", "charged"),
    [
        ({"price": 10, "offerPrice": 10}, 1, "10.00 USD for 1"),
        ({"price": "9.99", "offerPrice": None}, 1, "9.99 USD for 1"),
        ({"price": 10, "offerPrice": 4}, 1, "4.00 USD for 1"),
        ({"price": 10, "offerPrice": 0}, 12, "49.00 USD for 12"),
        ({"price": 10, "offerPrice": "7.50"}, 6, "45.00 USD for 6"),
        ({"price": 30, "offerPrice": 30, "billingPeriodMonths": 12}, 12, "30.00 USD for 12"),
        ({"price": 30, "offerPrice": 30, "billingPeriodMonths": 12}, 1, "5.99 USD for 1"),
        ({"price": 30, "offerPrice": 30, "billingPeriodMonths": 12}, None, "5.99 USD for 1"),
        ({"price": 3, "offerPrice": 3, "currencyRef": EUR}, 1, "5.99 USD for 1"),
        ({"price": 3, "offerPrice": 3, "billingPeriodMonths": 0}, 1, "5.99 USD for 1"),
    ],
    ids=str,
)
async def test_users_of_a_reseller_are_charged_its_prices(
    owner: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    ledger: Ledger,
    price: dict[str, Any],
    months: int | None,
    charged: str,
) -> None:
    await create_price(owner, RESELLER_REF, **price)
    user_ref = await ref_of_new_user(reseller)
    await assign(reseller, user_ref, STARTER, months)
    assert await ledger.charges(user_ref) == [charged]
    assert await ledger.events(user_ref) == ["registration ->1", "subscription 1>2"]


async def test_the_users_reseller_sets_the_price_for_every_caller(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ledger: Ledger
) -> None:
    await create_price(owner, RESELLER_REF, price=4, offerPrice=4)
    own, brands = await ref_of_new_user(reseller, username="bea"), await ref_of_new_user(owner, username="cid")
    for user_ref in (own, brands):
        await assign(owner, user_ref, STARTER, 1)
    assert await ledger.charges(own) == ["4.00 USD for 1"]
    assert await ledger.charges(brands) == ["5.99 USD for 1"]


async def test_upgrade_or_downgrade_is_decided_by_the_resellers_prices(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ledger: Ledger
) -> None:
    await create_price(owner, RESELLER_REF, packageRef=STARTER, price=20, offerPrice=20)
    await create_price(owner, RESELLER_REF, packageRef=PRO, price=30, offerPrice=3)
    user_ref = await ref_of_new_user(reseller)
    for package_ref in (STARTER, PRO, STARTER):
        await assign(reseller, user_ref, package_ref, 1)
    assert (await ledger.events(user_ref))[1:] == ["subscription 1>2", "downgrade 2>3", "upgrade 3>2"]
    assert await ledger.charges(user_ref) == ["20.00 USD for 1", "3.00 USD for 1", "20.00 USD for 1"]


async def test_a_price_of_zero_is_free(owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ledger: Ledger) -> None:
    await create_price(owner, RESELLER_REF, price=0, offerPrice=0)
    user_ref = await ref_of_new_user(reseller)
    await assign(reseller, user_ref, STARTER, 1)
    assert await ledger.charges(user_ref) == []
    assert await ledger.events(user_ref) == ["registration ->1", "change 1>2"]


async def test_renewals_are_charged_at_the_resellers_price_of_the_day(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ledger: Ledger, resources: Resources
) -> None:
    price = await create_price(owner, RESELLER_REF, price=4, offerPrice=4)
    path = f"/resellers/{RESELLER_REF}/prices/{price['ref']}"
    user_ref = await ref_of_new_user(reseller)
    await assign(reseller, user_ref, STARTER, 1)
    for month, change in enumerate(({}, {"price": 6, "offerPrice": None}, None), start=1):
        _ = await owner.delete(path) if change is None else await owner.put(path, json=change)
        clock.shift(month * MONTH)
        await do_due_changes(resources)
    assert [each.partition(" ")[0] for each in await ledger.charges(user_ref)] == ["4.00", "4.00", "6.00", "5.99"]


async def test_users_of_a_reseller_pay_in_its_currency_by_default(
    owner: httpx.AsyncClient, client_for: ClientFor, ledger: Ledger
) -> None:
    ref, credentials = await create_reseller_with_credentials(owner, defaultCurrencyRef=EUR)
    await create_price(owner, ref, currencyRef=EUR, price=3, offerPrice=3)
    client = client_for(credentials)
    own, brands = await create_user(client, username="bea"), await create_user(owner, username="cid", resellerRef=ref)
    dollars = await create_user(client, username="dan", currencyRef=1)
    assert [each["currencyRef"] for each in (own, brands, dollars)] == [2, 2, 1]
    for user in (own, brands, dollars):
        await assign(client, user["ref"], STARTER, 1)
    charges = [await ledger.charges(user["ref"]) for user in (own, brands, dollars)]
    assert charges == [["3.00 EUR for 1"], ["3.00 EUR for 1"], ["5.99 USD for 1"]]


async def test_the_largest_possible_charge_can_be_stored(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ledger: Ledger
) -> None:
    await create_price(owner, RESELLER_REF, price="9999999999.99", offerPrice=None)
    user_ref = await ref_of_new_user(reseller)
    await assign(reseller, user_ref, STARTER, 1200)
    assert await ledger.charges(user_ref) == ["11999999999988.00 USD for 1200"]


async def test_users_of_a_disabled_reseller_pay_its_prices(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ledger: Ledger
) -> None:
    await create_price(owner, RESELLER_REF, price=4, offerPrice=4)
    user_ref = await ref_of_new_user(reseller)
    await edit_reseller(owner, RESELLER_REF, enabled=0)
    await assign(owner, user_ref, STARTER, 1)
    assert await ledger.charges(user_ref) == ["4.00 USD for 1"]
