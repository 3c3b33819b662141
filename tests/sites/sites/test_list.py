"""GET /sites: fields, pagination and visibility; search is in `test_search`."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.sites.shapes import LISTED, map_domain, ref_of_new_site, reseller_user
from tests.support.cast import OTHER_BRAND, RESELLER_REF
from tests.support.paging import refs_in, walk
from tests.support.responses import problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, make_user


async def many(owner_connection: OwnerConnection, resources: Resources, user_ref: int, number: int) -> list[int]:
    return [await make_site(owner_connection, resources, user_ref=user_ref) for _ in range(number)]


async def test_an_empty_list(owner: httpx.AsyncClient) -> None:
    response = await owner.get("/sites?brandRef=1")
    assert (response.json(), "Link" in response.headers) == ({"sites": []}, False)


async def test_every_field_has_its_type(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    second = await map_domain(owner, ref, "b.example")
    [site] = (await owner.get("/sites?brandRef=1")).json()["sites"]
    assert_shape(site, LISTED)
    assert site["databaseSchema"] == f"site_{ref}"
    assert [*site["domains"].values()] == ["a.example", "b.example"]
    assert site["domains"][str(second)] == "b.example"


async def test_the_default_page_size_is_ten(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    refs = await many(owner_connection, resources, user_ref, 13)
    assert refs_in(await owner.get("/sites?brandRef=1")) == refs[:10]
    assert refs_in(await owner.get("/sites?brandRef=1&limit=1000")) == refs
    assert refs_in(await owner.get("/sites?brandRef=1&limit=2&offset=5")) == refs[5:7]
    assert refs_in(await owner.get(f"/sites?brandRef=1&offset={2**31 - 1}")) == []


@pytest.mark.parametrize("more", ["", "&domain=.example"])
async def test_pagination_forwards_and_backwards(owner: httpx.AsyncClient, user_ref: int, more: str) -> None:
    refs = [await ref_of_new_site(owner, user_ref, f"site{number}.example") for number in range(11)]
    assert await walk(owner, f"/sites?brandRef=1&limit=4{more}") == [refs[:4], refs[4:8], refs[8:]]
    back = await walk(owner, f"/sites?brandRef=1&limit=4&after={refs[7]}{more}", "prev")
    assert back == [refs[8:], refs[4:8], refs[:4]]
    by_offset = await walk(owner, f"/sites?brandRef=1&limit=4&offset=8{more}", "prev")
    assert by_offset == [refs[8:], refs[4:8], refs[:4]]


async def test_deleted_sites_are_listed_on_request(owner: httpx.AsyncClient, user_ref: int) -> None:
    refs = [await ref_of_new_site(owner, user_ref, f"site{number}.example") for number in range(3)]
    await owner.delete(f"/sites/{refs[1]}")
    assert refs_in(await owner.get("/sites?brandRef=1")) == [refs[0], refs[2]]
    response = await owner.get("/sites?brandRef=1&deleted=1")
    assert refs_in(response) == refs
    assert response.json()["sites"][1]["domains"] == {}


WRONG = [
    ("limit", "0"), ("limit", "1001"), ("limit", "x"), ("offset", "-1"), ("offset", str(2**31)), ("after", "0"),
    ("before", "x"), ("deleted", "2"), ("deleted", "on"), ("domain", "a" * 256), ("domain", "a\0b"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
async def test_a_filter_of_the_wrong_type(owner: httpx.AsyncClient, name: str, value: str) -> None:
    response = await owner.get("/sites", params={"brandRef": 1, name: value})
    assert problem_in(response) == (400, f"invalid{name[0].upper()}{name[1:]}")


async def test_the_brand_must_be_named(
    owner: httpx.AsyncClient, system_owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    assert problem_in(await owner.get("/sites")) == (400, "invalidBrandRef")
    assert problem_in(await owner.get("/sites?brandRef=x")) == (400, "invalidBrandRef")
    assert problem_in(await owner.get("/sites?brandRef=2")) == (403, "brandMismatch")
    assert problem_in(await system_owner.get("/sites")) == (400, "brandRequired")
    assert problem_in(await system_owner.get("/sites?brandRef=999")) == (404, "brandNotFound")
    assert refs_in(await system_owner.get("/sites?brandRef=1")) == [ref]
    assert refs_in(await other_brand.get("/sites?brandRef=2")) == []
    assert refs_in(await other_brand.get("/sites?brandRef=2&domain=a.example")) == []


async def test_a_reseller_lists_the_sites_of_its_own_users(
    reseller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    own = await reseller_user(owner_connection, resources, RESELLER_REF)
    others = [
        await reseller_user(owner_connection, resources, 8),
        await make_user(owner_connection, resources),
        await make_user(owner_connection, resources, OTHER_BRAND),
    ]
    refs = await many(owner_connection, resources, own, 3)
    for brand_ref, user_ref in zip((1, 1, 2), others, strict=True):
        await make_site(owner_connection, resources, brand_ref, user_ref=user_ref)
    assert refs_in(await reseller.get("/sites?brandRef=1&deleted=1")) == refs
    assert await walk(reseller, "/sites?brandRef=1&limit=2") == [refs[:2], refs[2:]]
