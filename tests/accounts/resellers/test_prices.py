"""/resellers/:resellerRef/prices, against 2.9 of the specification."""

import asyncio
from collections import Counter
from typing import Any

import httpx
import pytest

from tests.accounts.resellers.shapes import all_rows, made, new_price, priced, prices_of
from tests.catalogue.packages.shapes import CURRENCY, PRICE, assert_shape
from tests.support.answers import refused, thing_in
from tests.support.cast import RESELLER_REF
from tests.support.packages import EUR, EURO_STARTER, LEGACY, PRO, STARTER, USD
from tests.support.paging import walk
from tests.support.users import OwnerConnection

PRICES = f"/resellers/{RESELLER_REF}/prices"
NOT_THERE = (404, "priceNotFound")


async def got(client: httpx.AsyncClient, price_ref: int, ref: int = RESELLER_REF) -> dict[str, Any]:
    return thing_in(await client.get(f"/resellers/{ref}/prices/{price_ref}"), "price")


async def test_there_are_none_until_one_is_made(owner: httpx.AsyncClient) -> None:
    assert await prices_of(owner, RESELLER_REF) == []
    price = await priced(owner, RESELLER_REF)
    assert await prices_of(owner, RESELLER_REF) == [price]
    assert await got(owner, price["ref"]) == price


async def test_what_it_says(owner: httpx.AsyncClient) -> None:
    price = await priced(owner, RESELLER_REF, billingPeriodMonths=12, price=100, offerPrice=90)
    assert_shape(price, PRICE)
    assert_shape(price["currency"], CURRENCY)
    assert (price["type"], price["packageRef"], price["packageName"]) == ("reseller", STARTER, "Starter")
    assert (price["price"], price["offerPrice"], price["billingPeriodMonths"]) == ("100.00", "90.00", 12)
    assert (price["formattedPrice"], price["currency"]["alphaCode"]) == ("$100.00", "USD")


async def test_the_currencys_own_way(owner: httpx.AsyncClient) -> None:
    price = await priced(owner, RESELLER_REF, currencyRef=EUR, price="1234.5")
    assert (price["price"], price["formattedPrice"]) == ("1234.50", "1.234,50\N{NO-BREAK SPACE}€")


@pytest.mark.parametrize(
    ("sent", "told"),
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
async def test_whole_units_or_up_to_two_decimals(owner: httpx.AsyncClient, sent: str, told: str) -> None:
    body = f'{{"packageRef": 2, "billingPeriodMonths": 1, "currencyRef": 1, "price": {sent}, "offerPrice": {sent}}}'
    answer = await owner.post(PRICES, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["price"]["price"]) == (201, told), answer.text
    assert answer.json()["price"]["offerPrice"] == told


async def test_a_form_does_as_well(owner: httpx.AsyncClient) -> None:
    answer = await owner.post(PRICES, data=new_price(price="9.99"))
    assert (answer.status_code, answer.json()["price"]["price"]) == (201, "9.99")


async def test_no_offer_and_no_period(owner: httpx.AsyncClient) -> None:
    price = await priced(owner, RESELLER_REF, offerPrice=None, billingPeriodMonths=0)
    assert (price["offerPrice"], price["billingPeriodMonths"]) == (None, 0)


async def test_first_created_first(owner: httpx.AsyncClient) -> None:
    made_refs = [
        (await priced(owner, RESELLER_REF, packageRef=package, billingPeriodMonths=months))["ref"]
        for package, months in ((PRO, 12), (STARTER, 1), (PRO, 1), (LEGACY, 1))
    ]
    assert [price["ref"] for price in await prices_of(owner, RESELLER_REF)] == made_refs


async def test_one_for_each_package_currency_and_period(owner: httpx.AsyncClient) -> None:
    await priced(owner, RESELLER_REF)
    for apart in ({"packageRef": PRO}, {"currencyRef": EUR}, {"billingPeriodMonths": 12}):
        await priced(owner, RESELLER_REF, **apart)
    assert refused(await owner.post(PRICES, json=new_price(price=5))) == (409, "priceExists")
    other, _ = await made(owner)
    await priced(owner, other)


async def test_of_many_at_once_one_is_made(owner: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(owner.post(PRICES, json=new_price(price=number)) for number in range(12)))
    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 11}
    assert len(await prices_of(owner, RESELLER_REF)) == 1


async def test_an_update_changes_what_is_sent(owner: httpx.AsyncClient) -> None:
    price = await priced(owner, RESELLER_REF, price=10, offerPrice=8)
    path = f"{PRICES}/{price['ref']}"
    for sent, told in (
        ({"price": 12}, ("12.00", "8.00")),
        ({"offerPrice": None}, ("12.00", None)),
        ({}, ("12.00", None)),
    ):
        changed = (await owner.put(path, json=sent)).json()["price"]
        assert (changed["price"], changed["offerPrice"]) == told
        assert changed == await got(owner, price["ref"])


async def test_an_update_may_change_what_it_is_for(owner: httpx.AsyncClient) -> None:
    price = await priced(owner, RESELLER_REF)
    sent = {"packageRef": PRO, "billingPeriodMonths": 6, "currencyRef": EUR}
    changed = (await owner.put(f"{PRICES}/{price['ref']}", json=sent)).json()["price"]
    assert (changed["ref"], changed["packageName"], changed["price"]) == (price["ref"], "Pro", "10.00")
    assert (changed["billingPeriodMonths"], changed["currency"]["alphaCode"]) == (6, "EUR")


async def test_an_update_into_anothers_place(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    price = await priced(owner, RESELLER_REF)
    other = await priced(owner, RESELLER_REF, packageRef=PRO)
    before = await all_rows(owner_connection)
    answer = await owner.put(f"{PRICES}/{other['ref']}", json={"packageRef": STARTER, "price": 1})
    assert refused(answer) == (409, "priceExists")
    assert await all_rows(owner_connection) == before
    assert (await owner.put(f"{PRICES}/{price['ref']}", json={"packageRef": STARTER})).status_code == 200


async def test_deleted_it_is_gone_and_its_place_free(owner: httpx.AsyncClient) -> None:
    price = await priced(owner, RESELLER_REF)
    path = f"{PRICES}/{price['ref']}"
    assert (await owner.delete(path)).status_code == 204
    for method in ("GET", "PUT", "DELETE"):
        assert refused(await owner.request(method, path)) == NOT_THERE
    await priced(owner, RESELLER_REF)


async def test_whatever_is_missing_is_named_at_once(owner: httpx.AsyncClient) -> None:
    for answer in (await owner.post(PRICES), await owner.post(PRICES, json={})):
        assert refused(answer) == (400, "invalidRequest")
        assert set(answer.json()["errors"]) == set(new_price())


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
async def test_bad_input_is_named_and_nothing_is_done(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    price = await priced(owner, RESELLER_REF, billingPeriodMonths=3)
    before = await all_rows(owner_connection)
    for answer in (
        await owner.post(PRICES, json=new_price(**{field: value})),
        await owner.put(f"{PRICES}/{price['ref']}", json={field: value}),
    ):
        assert refused(answer) == (400, "invalid" + field[0].upper() + field[1:])
        assert list(answer.json()["errors"]) == [field]
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize("written", ["9.9999999999999999999", "1e1", "1E999999999999", "-0.0", "0.001"])
async def test_no_number_is_rounded_to_an_amount(owner: httpx.AsyncClient, written: str) -> None:
    body = f'{{"packageRef": 2, "billingPeriodMonths": 1, "currencyRef": 1, "price": {written}, "offerPrice": 1}}'
    answer = await owner.post(PRICES, content=body, headers={"Content-Type": "application/json"})
    assert refused(answer) == (400, "invalidPrice")


async def test_all_that_is_wrong_is_named_at_once(owner: httpx.AsyncClient) -> None:
    wrong = {"packageRef": 999, "currencyRef": 999, "billingPeriodMonths": -1, "price": "ten", "offerPrice": -1}
    answer = await owner.post(PRICES, json=wrong)
    assert set(answer.json()["errors"]) == set(wrong)


@pytest.mark.parametrize("ref", ["999", "0", "abc", str(2**63)])
async def test_a_price_that_is_not_there(owner: httpx.AsyncClient, ref: str) -> None:
    for method in ("GET", "PUT", "DELETE"):
        assert refused(await owner.request(method, f"{PRICES}/{ref}")) == NOT_THERE
        answer = await owner.request(method, f"/resellers/{ref}/prices/1")
        assert refused(answer) == (404, "resellerNotFound")


async def test_another_resellers_and_another_brands_price_is_not_there(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    price, (other, _) = await priced(owner, RESELLER_REF), await made(owner)
    for method in ("GET", "PUT", "DELETE"):
        assert refused(await owner.request(method, f"/resellers/{other}/prices/{price['ref']}")) == NOT_THERE
        answer = await other_brand.request(method, f"{PRICES}/{price['ref']}", json={"price": "x"})
        assert refused(answer) == (404, "resellerNotFound")
    assert await prices_of(owner, RESELLER_REF) == [price]


async def test_a_reseller_reaches_no_prices_not_even_its_own(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    path = f"{PRICES}/{(await priced(owner, RESELLER_REF))['ref']}"
    for method, each in (("GET", PRICES), ("POST", PRICES), ("GET", path), ("PUT", path), ("DELETE", path)):
        assert refused(await reseller.request(method, each)) == (403, "forbidden")


async def test_each_change_is_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    price = await priced(owner, RESELLER_REF)
    await owner.put(f"{PRICES}/{price['ref']}", json={"price": 11})
    await owner.delete(f"{PRICES}/{price['ref']}")
    rows = await owner_connection.fetch(
        "select action, details ->> 'price' from audit_entries where subject = 'reseller price' order by ref"
    )
    assert [tuple(row) for row in rows] == [("create", "10.00"), ("edit", "11.00"), ("delete", "11.00")]
    assert await prices_of(owner, RESELLER_REF) == []


async def test_a_global_packages_price_goes_with_the_package(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update packages set is_global = 1 where ref = $1", EURO_STARTER)
    price = await priced(owner, RESELLER_REF, packageRef=EURO_STARTER, currencyRef=USD)
    await owner_connection.execute("update packages set is_global = 0 where ref = $1", EURO_STARTER)
    assert await prices_of(owner, RESELLER_REF) == []
    assert refused(await owner.get(f"{PRICES}/{price['ref']}")) == NOT_THERE


async def test_prices_are_listed_page_by_page(owner: httpx.AsyncClient) -> None:
    refs = [(await priced(owner, RESELLER_REF, billingPeriodMonths=months))["ref"] for months in (1, 3, 6, 12)]
    assert await walk(owner, PRICES) == [refs]
    assert await walk(owner, f"{PRICES}?limit=3") == [refs[:3], refs[3:]]
    assert await walk(owner, f"{PRICES}?limit=2&before={refs[3]}", "prev") == [refs[1:3], refs[:1]]
