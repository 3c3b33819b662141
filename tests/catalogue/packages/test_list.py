"""GET /brands/:brandRef/packages, against 2.9 of the specification."""

from typing import Any

import httpx
import pytest

from sitewright.catalogue.packages.capabilities import CAPABILITIES
from sitewright.kit.paging import MAX_LIST_BYTES
from tests.catalogue.packages.shapes import CURRENCY, DOMAIN_PRODUCT, PACKAGE, PRICE, SUPPLIER, assert_shape
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.paging import refs_in, walk
from tests.support.responses import items_in, problem_in
from tests.support.users import OwnerConnection

PATH = f"/brands/{OWN_BRAND}/packages"
OWN = ["Free", "Starter", "Pro", "A .com domain", "Classic"]


async def packages_of(client: httpx.AsyncClient, brand_ref: int = OWN_BRAND, **query: Any) -> list[dict[str, Any]]:
    return items_in(await client.get(f"/brands/{brand_ref}/packages", params=query), "packages")


async def test_every_package_in_display_order(owner: httpx.AsyncClient) -> None:
    packages = await packages_of(owner)
    assert [package["name"] for package in packages] == OWN
    assert [package["ref"] for package in packages] == [1, 2, 3, 4, 5]


async def test_every_field_has_its_type(owner: httpx.AsyncClient) -> None:
    for package in await packages_of(owner):
        assert_shape(package, PACKAGE | {"urlId": (str, type(None))})
        assert set(package["capabilities"]) == set(CAPABILITIES)
        assert len(CAPABILITIES) == 52
        assert {type(number) for number in package["capabilities"].values()} == {int}
        for price in package["prices"]:
            assert_shape(price, PRICE)
            assert_shape(price["currency"], CURRENCY)
        assert package["templateGroup"] is None or assert_shape(
            package["templateGroup"], {"name": (str,), "ref": (int,)}
        )
        if package["productType"] == "domain":
            assert_shape(package["domainProduct"], DOMAIN_PRODUCT)
            assert_shape(package["domainProduct"]["productSupplier"], SUPPLIER)
        else:
            assert package["domainProduct"] is None


async def test_values_of_packages_and_prices(owner: httpx.AsyncClient) -> None:
    free, starter, *_ = await packages_of(owner)
    limits = {name: free["capabilities"][name] for name in ("liveSites", "pagesLimited", "mailboxes")}
    assert limits == {"liveSites": 1, "pagesLimited": 2, "mailboxes": 2}
    assert (free["brandRef"], free["brandName"]) == (OWN_BRAND, "Northwind Hosting")
    assert (free["currencyCode"], free["currencyTitle"]) == ("USD", "US Dollar (USD)")
    assert (free["templateGroupRef"], free["templateGroup"]) == (3, {"name": "All templates", "ref": 3})
    prices = [
        (price["currency"]["alphaCode"], price["billingPeriodMonths"], price["price"], price["formattedPrice"])
        for price in starter["prices"]
    ]
    assert prices == [
        ("USD", 1, "5.99", "$5.99"),
        ("USD", 12, "59.00", "$59.00"),
        ("EUR", 1, "5.49", "5,49\N{NO-BREAK SPACE}€"),
        ("EUR", 12, "54.00", "54,00\N{NO-BREAK SPACE}€"),
    ]
    assert [price["offerPrice"] for price in starter["prices"]] == [None, "49.00", None, None]
    assert {(price["packageRef"], price["packageName"], price["type"]) for price in starter["prices"]} == {
        (2, "Starter", "standard")
    }


async def test_filter_by_active(owner: httpx.AsyncClient) -> None:
    assert [package["name"] for package in await packages_of(owner, active=1)] == OWN[:-1]
    assert [package["name"] for package in await packages_of(owner, active=0)] == OWN[-1:]


async def test_the_other_brand_has_other_packages(other_brand: httpx.AsyncClient) -> None:
    suspended, trial, *_, domain = await packages_of(other_brand, OTHER_BRAND)
    assert (suspended["capabilities"]["liveSites"], trial["trialDays"]) == (0, 14)
    assert domain["ref"] == 10


async def test_every_role_reads_them(
    owner_operator: httpx.AsyncClient, reseller: httpx.AsyncClient, system_owner: httpx.AsyncClient
) -> None:
    for caller in (owner_operator, reseller, system_owner):
        assert [package["name"] for package in await packages_of(caller)] == OWN


@pytest.mark.parametrize("active", ["2", "-1", "yes", "", "1.0", "yes please"])
async def test_a_filter_of_the_wrong_type(owner: httpx.AsyncClient, active: str) -> None:
    response = await owner.get(f"/brands/{OWN_BRAND}/packages", params={"active": active})
    assert problem_in(response) == (400, "invalidActive")


async def test_foreign_and_unknown_brands(owner: httpx.AsyncClient, system_owner: httpx.AsyncClient) -> None:
    for brand_ref in (OTHER_BRAND, 999):
        response = await owner.get(f"/brands/{brand_ref}/packages")
        assert problem_in(response) == (403, "brandMismatch")
    response = await system_owner.get("/brands/999/packages")
    assert problem_in(response) == (404, "brandNotFound")


async def test_pagination_follows_the_display_order(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update packages set display_order = 10 - display_order where display_order < 3")
    [refs] = await walk(owner, PATH)
    assert refs != sorted(refs)
    assert await walk(owner, f"{PATH}?limit=2") == [refs[:2], refs[2:4], refs[4:]]
    assert await walk(owner, f"{PATH}?limit=2&before={refs[3]}", "prev") == [refs[1:3], refs[:1]]
    assert refs_in(await owner.get(f"{PATH}?limit=2&offset=1")) == refs[1:3]
    assert await walk(owner, f"{PATH}?active=1&limit=3") == [refs[:3], refs[3:4]]


async def test_an_unknown_cursor_skips_nothing(owner: httpx.AsyncClient) -> None:
    [refs] = await walk(owner, PATH)
    assert refs_in(await owner.get(f"{PATH}?after=999999")) == refs
    assert refs_in(await owner.get(f"{PATH}?before=999999")) == refs


async def test_large_packages_make_pages_shorter(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    [refs] = await walk(owner, PATH)
    await owner_connection.execute("update packages set banner_html = repeat('x', 3000000)")
    assert len((await owner.get(PATH)).content) < MAX_LIST_BYTES + 4_000_000
    assert await walk(owner, PATH) == [refs[:3], refs[3:]]
    assert await walk(owner, f"{PATH}?before={refs[4]}", "prev") == [refs[1:4], refs[:1]]
