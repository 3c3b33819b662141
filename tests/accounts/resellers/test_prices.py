"""/resellers/:resellerRef/prices, against 2.9 of the specification."""

import asyncio
from collections import Counter
from typing import Any

import httpx
import pytest

from tests.accounts.resellers.shapes import (
    all_rows,
    create_price,
    create_reseller_with_credentials,
    new_price,
    prices_of,
)
from tests.catalogue.packages.shapes import CURRENCY, PRICE, assert_shape
from tests.support.cast import RESELLER_REF
from tests.support.packages import EUR, EURO_STARTER, LEGACY, PRO, STARTER, USD
from tests.support.paging import walk
from tests.support.responses import object_in, problem_in
from tests.support.users import OwnerConnection

PRICES = f"/resellers/{RESELLER_REF}/prices"
NOT_THERE = (404, "priceNotFound")


async def get_price(client: httpx.AsyncClient, price_ref: int, ref: int = RESELLER_REF) -> dict[str, Any]:
    return object_in(await client.get(f"/resellers/{ref}/prices/{price_ref}"), "price")


async def test_the_list_is_empty_at_first(owner: httpx.AsyncClient) -> None:
    assert await prices_of(owner, RESELLER_REF) == []
    price = await create_price(owner, RESELLER_REF)
    assert await prices_of(owner, RESELLER_REF) == [price]
    assert await get_price(owner, price["ref"]) == price


async def test_the_fields_of_a_price(owner: httpx.AsyncClient) -> None:
    price = await create_price(owner, RESELLER_REF, billingPeriodMonths=12, price=100, offerPrice=90)
    assert_shape(price, PRICE)
    assert_shape(price["currency"], CURRENCY)
    assert (price["type"], price["packageRef"], price["packageName"]) == ("reseller", STARTER, "Starter")
    assert (price["price"], price["offerPrice"], price["billingPeriodMonths"]) == ("100.00", "90.00", 12)
    assert (price["formattedPrice"], price["currency"]["alphaCode"]) == ("$100.00", "USD")


async def test_amounts_are_formatted_for_the_currency(owner: httpx.AsyncClient) -> None:
    price = await create_price(owner, RESELLER_REF, currencyRef=EUR, price="1234.5")
    assert (price["price"], price["formattedPrice"]) == ("1234.50", "1.234,50\N{NO-BREAK SPACE}€")


@pytest.mark.parametrize(
    ("sent", "returned"),
    [
        ("10", "10.00"),
        ('"10"', "10.00"),
        ("9.99", "9.99"),
        ('"9.99"', "9.99"),
        ("9.9", "9.90"),
        ("10.0", "10.00"),
        ("0", "0.00"),
        ("0.01", "0.01"),
        ('"007.50"', "7.50"),
        ("9999999999.99", "9999999999.99"),
    ],
)
async def test_whole_units_or_up_to_two_decimals(owner: httpx.AsyncClient, sent: str, returned: str) -> None:
    body = f'{{"packageRef": 2, "billingPeriodMonths": 1, "currencyRef": 1, "price": {sent}, "offerPrice": {sent}}}'
    response = await owner.post(PRICES, content=body, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()["price"]["price"]) == (201, returned), response.text
    assert response.json()["price"]["offerPrice"] == returned


async def test_a_form_is_accepted(owner: httpx.AsyncClient) -> None:
    response = await owner.post(PRICES, data=new_price(price="9.99"))
    assert (response.status_code, response.json()["price"]["price"]) == (201, "9.99")


async def test_an_offer_price_may_be_null_and_a_period_zero(owner: httpx.AsyncClient) -> None:
    price = await create_price(owner, RESELLER_REF, offerPrice=None, billingPeriodMonths=0)
    assert (price["offerPrice"], price["billingPeriodMonths"]) == (None, 0)


async def test_first_created_first(owner: httpx.AsyncClient) -> None:
    made_refs = [
        (await create_price(owner, RESELLER_REF, packageRef=package, billingPeriodMonths=months))["ref"]
        for package, months in ((PRO, 12), (STARTER, 1), (PRO, 1), (LEGACY, 1))
    ]
    assert [price["ref"] for price in await prices_of(owner, RESELLER_REF)] == made_refs


async def test_only_one_price_for_each_package_currency_and_period(owner: httpx.AsyncClient) -> None:
    await create_price(owner, RESELLER_REF)
    for difference in ({"packageRef": PRO}, {"currencyRef": EUR}, {"billingPeriodMonths": 12}):
        await create_price(owner, RESELLER_REF, **difference)
    assert problem_in(await owner.post(PRICES, json=new_price(price=5))) == (409, "priceExists")
    other, _ = await create_reseller_with_credentials(owner)
    await create_price(owner, other)


async def test_of_concurrent_creates_one_succeeds(owner: httpx.AsyncClient) -> None:
    responses = await asyncio.gather(*(owner.post(PRICES, json=new_price(price=number)) for number in range(12)))
    assert Counter(response.status_code for response in responses) == {201: 1, 409: 11}
    assert len(await prices_of(owner, RESELLER_REF)) == 1


async def test_an_update_changes_what_is_sent(owner: httpx.AsyncClient) -> None:
    price = await create_price(owner, RESELLER_REF, price=10, offerPrice=8)
    path = f"{PRICES}/{price['ref']}"
    for sent, returned in (
        ({"price": 12}, ("12.00", "8.00")),
        ({"offerPrice": None}, ("12.00", None)),
        ({}, ("12.00", None)),
    ):
        changed = (await owner.put(path, json=sent)).json()["price"]
        assert (changed["price"], changed["offerPrice"]) == returned
        assert changed == await get_price(owner, price["ref"])


async def test_an_update_may_change_package_currency_and_period(owner: httpx.AsyncClient) -> None:
    price = await create_price(owner, RESELLER_REF)
    sent = {"packageRef": PRO, "billingPeriodMonths": 6, "currencyRef": EUR}
    changed = (await owner.put(f"{PRICES}/{price['ref']}", json=sent)).json()["price"]
    assert (changed["ref"], changed["packageName"], changed["price"]) == (price["ref"], "Pro", "10.00")
    assert (changed["billingPeriodMonths"], changed["currency"]["alphaCode"]) == (6, "EUR")


async def test_an_update_to_an_existing_key_is_a_conflict(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    price = await create_price(owner, RESELLER_REF)
    other = await create_price(owner, RESELLER_REF, packageRef=PRO)
    before = await all_rows(owner_connection)
    response = await owner.put(f"{PRICES}/{other['ref']}", json={"packageRef": STARTER, "price": 1})
    assert problem_in(response) == (409, "priceExists")
    assert await all_rows(owner_connection) == before
    assert (await owner.put(f"{PRICES}/{price['ref']}", json={"packageRef": STARTER})).status_code == 200


async def test_a_deleted_price_is_not_found_and_its_key_is_free(owner: httpx.AsyncClient) -> None:
    price = await create_price(owner, RESELLER_REF)
    path = f"{PRICES}/{price['ref']}"
    assert (await owner.delete(path)).status_code == 204
    for method in ("GET", "PUT", "DELETE"):
        assert problem_in(await owner.request(method, path)) == NOT_THERE
    await create_price(owner, RESELLER_REF)


async def test_all_missing_fields_are_reported_together(owner: httpx.AsyncClient) -> None:
    for response in (await owner.post(PRICES), await owner.post(PRICES, json={})):
        assert problem_in(response) == (400, "invalidRequest")
        assert set(response.json()["errors"]) == set(new_price())


MONTHS: list[Any] = ["one", -1, 1201, 1.0, 1.5, True, None, "", [1]]
AMOUNTS: list[Any] = [
    "ten", -1, "-1", -0.01, 9.999, "9.999", 10**10, "1e3", 1e30, "", " 1", "1,50", "+5", ".5",
    "5.", "١٠", True, [1], {"amount": 1},
]  # fmt: skip
WRONG: dict[str, list[Any]] = {
    "packageRef": ["Pro", 0, -1, 999, EURO_STARTER, 2**63, 1.0, True, None, ""],
    "currencyRef": ["USD", 0, -1, 999, 2**63, 1.0, True, None, ""],
    "billingPeriodMonths": MONTHS,
    "price": [*AMOUNTS, None],
    "offerPrice": AMOUNTS,
}
CASES = [(field, value) for field, values in WRONG.items() for value in values]


@pytest.mark.parametrize(("field", "value"), CASES, ids=str)
async def test_an_invalid_field_is_reported_and_nothing_changes(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    price = await create_price(owner, RESELLER_REF, billingPeriodMonths=3)
    before = await all_rows(owner_connection)
    for response in (
        await owner.post(PRICES, json=new_price(**{field: value})),
        await owner.put(f"{PRICES}/{price['ref']}", json={field: value}),
    ):
        assert problem_in(response) == (400, "invalid" + field[0].upper() + field[1:])
        assert list(response.json()["errors"]) == [field]
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize("written", ["9.9999999999999999999", "1e1", "1E999999999999", "-0.0", "0.001"])
async def test_amounts_are_not_rounded(owner: httpx.AsyncClient, written: str) -> None:
    body = f'{{"packageRef": 2, "billingPeriodMonths": 1, "currencyRef": 1, "price": {written}, "offerPrice": 1}}'
    response = await owner.post(PRICES, content=body, headers={"Content-Type": "application/json"})
    assert problem_in(response) == (400, "invalidPrice")


async def test_all_invalid_fields_are_reported_together(owner: httpx.AsyncClient) -> None:
    wrong = {"packageRef": 999, "currencyRef": 999, "billingPeriodMonths": -1, "price": "ten", "offerPrice": -1}
    response = await owner.post(PRICES, json=wrong)
    assert set(response.json()["errors"]) == set(wrong)


@pytest.mark.parametrize("ref", ["999", "0", "abc", str(2**63)])
async def test_an_unknown_price_is_not_found(owner: httpx.AsyncClient, ref: str) -> None:
    for method in ("GET", "PUT", "DELETE"):
        assert problem_in(await owner.request(method, f"{PRICES}/{ref}")) == NOT_THERE
        response = await owner.request(method, f"/resellers/{ref}/prices/1")
        assert problem_in(response) == (404, "resellerNotFound")


async def test_another_resellers_or_brands_price_is_not_found(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    price, (other, _) = await create_price(owner, RESELLER_REF), await create_reseller_with_credentials(owner)
    for method in ("GET", "PUT", "DELETE"):
        assert problem_in(await owner.request(method, f"/resellers/{other}/prices/{price['ref']}")) == NOT_THERE
        response = await other_brand.request(method, f"{PRICES}/{price['ref']}", json={"price": "x"})
        assert problem_in(response) == (404, "resellerNotFound")
    assert await prices_of(owner, RESELLER_REF) == [price]


async def test_a_reseller_cannot_access_prices_not_even_its_own(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    path = f"{PRICES}/{(await create_price(owner, RESELLER_REF))['ref']}"
    for method, each in (("GET", PRICES), ("POST", PRICES), ("GET", path), ("PUT", path), ("DELETE", path)):
        assert problem_in(await reseller.request(method, each)) == (403, "forbidden")


async def test_each_change_is_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    price = await create_price(owner, RESELLER_REF)
    await owner.put(f"{PRICES}/{price['ref']}", json={"price": 11})
    await owner.delete(f"{PRICES}/{price['ref']}")
    rows = await owner_connection.fetch(
        "select action, details ->> 'price' from audit_entries where subject = 'reseller price' order by ref"
    )
    assert [tuple(row) for row in rows] == [("create", "10.00"), ("edit", "11.00"), ("delete", "11.00")]
    assert await prices_of(owner, RESELLER_REF) == []


async def test_a_price_is_hidden_with_its_global_package(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update packages set is_global = 1 where ref = $1", EURO_STARTER)
    price = await create_price(owner, RESELLER_REF, packageRef=EURO_STARTER, currencyRef=USD)
    await owner_connection.execute("update packages set is_global = 0 where ref = $1", EURO_STARTER)
    assert await prices_of(owner, RESELLER_REF) == []
    assert problem_in(await owner.get(f"{PRICES}/{price['ref']}")) == NOT_THERE


async def test_prices_are_paginated(owner: httpx.AsyncClient) -> None:
    refs = [(await create_price(owner, RESELLER_REF, billingPeriodMonths=months))["ref"] for months in (1, 3, 6, 12)]
    assert await walk(owner, PRICES) == [refs]
    assert await walk(owner, f"{PRICES}?limit=3") == [refs[:3], refs[3:]]
    assert await walk(owner, f"{PRICES}?limit=2&before={refs[3]}", "prev") == [refs[1:3], refs[:1]]
