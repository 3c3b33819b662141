"""GET /users: shapes, pages and counts."""

from typing import Any

import httpx
import pytest

from sitewright.accounts.users import store
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import ACCOUNT_PACKAGE, LISTED, TS, ref_of_new_user
from tests.catalogue.packages.shapes import NONE, assert_shape
from tests.support.cast import OTHER_BRAND
from tests.support.paging import links, refs_in, walk
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, assign_package, make_user


async def many(owner_connection: OwnerConnection, resources: Resources, number: int) -> list[int]:
    return [await make_user(owner_connection, resources, username=f"user{each}") for each in range(number)]


async def test_an_empty_list(owner: httpx.AsyncClient) -> None:
    response = await owner.get("/users")
    assert response.json() == {"count": "0", "accountHolders": []}
    assert "Link" not in response.headers


async def test_every_field_has_its_type(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_user(owner_connection, resources, last_login_at=clock.now())
    await assign_package(owner_connection, 1, ref, 3, due_at=clock.now(), price=9, delete_on_expiry=True)
    [holder] = (await owner.get("/users")).json()["accountHolders"]
    assert_shape(holder, LISTED)
    [package] = holder["accountPackages"]
    assert_shape(package, ACCOUNT_PACKAGE)
    assert_shape(package["billingCycle"], {"billingPeriodMonths": (int,), "expiryDate": (dict, NONE)})
    for at in (holder["created"], holder["lastLogin"], package["startDateTime"], package["billingCycle"]["expiryDate"]):
        assert_shape(at, TS)
    assert (package["package"], package["deleteOnExpiry"]) == ({"ref": 3, "name": "Pro"}, 1)


async def test_the_packages_of_each_are_the_current_ones(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    first, second = await many(owner_connection, resources, 2)
    await assign_package(owner_connection, 1, first, 2)
    await owner_connection.execute(
        "insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial,"
        " billing_period_months, price, delete_on_expiry, started_at, updated_at)"
        " values (1, $1, 4, false, false, 12, 0, false, now(), now())",
        second,
    )
    holders = (await owner.get("/users")).json()["accountHolders"]
    packages = [[package["package"]["name"] for package in holder["accountPackages"]] for holder in holders]
    assert packages == [["Starter"], ["Free", "A .com domain"]]


async def test_types_are_consistent_where_the_brand_is_configured_so(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set consistent_types = true")
    await ref_of_new_user(owner)
    response = (await owner.get("/users")).json()
    assert (response["count"], response["accountHolders"][0]["beta"]) == (1, False)


async def test_a_page_has_twenty_by_default(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    refs = await many(owner_connection, resources, 25)
    response = await owner.get("/users")
    assert (refs_in(response), response.json()["count"]) == (refs[:20], "25")
    assert refs_in(await owner.get("/users?limit=1000")) == refs
    assert refs_in(await owner.get("/users?limit=3&offset=20")) == refs[20:23]
    assert refs_in(await owner.get("/users?offset=25")) == []
    assert refs_in(await owner.get(f"/users?offset={2**31 - 1}")) == []


async def test_links_lead_to_the_end_and_back(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    refs = await many(owner_connection, resources, 11)
    pages = await walk(owner, "/users?limit=4", "next")
    assert pages == [refs[:4], refs[4:8], refs[8:]]
    back = await walk(owner, f"/users?limit=4&after={refs[7]}", "prev")
    assert back == [refs[8:], refs[4:8], refs[:4]]


async def test_links_keep_the_filters(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    refs = await many(owner_connection, resources, 5)
    await owner.delete(f"/users/{refs[1]}")
    assert await walk(owner, "/users?limit=2&showDeleted=1") == [refs[:2], refs[2:4], refs[4:]]
    kept = [refs[0], *refs[2:]]
    assert await walk(owner, "/users?limit=2") == [kept[:2], kept[2:]]
    assert await walk(owner, "/users?limit=2&email=ANN%40mail.example") == [kept[:2], kept[2:]]
    path = "/users?limit=2&dateFrom=2020-01-01&dateTo=9999-12-31"
    assert await walk(owner, path) == [kept[:2], kept[2:]]


async def test_paging_misses_nobody_while_users_are_created_and_deleted(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    refs = await many(owner_connection, resources, 6)
    first = await owner.get("/users?limit=2")
    await owner.delete(f"/users/{refs[0]}")
    newest = await make_user(owner_connection, resources, username="newest")
    assert await walk(owner, links(first)["next"]) == [refs[2:4], refs[4:6], [newest]]


WRONG = [
    ("limit", "0"), ("limit", "1001"), ("limit", "-1"), ("limit", "abc"), ("limit", "1.0"), ("limit", ""),
    ("offset", "-1"), ("offset", str(2**31)), ("offset", "x"), ("after", "0"), ("after", "x"), ("before", str(2**63)),
    ("showDeleted", "2"), ("showDeleted", "on"), ("showDeleted", ""), ("resellerRef", "x"), ("resellerRef", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
async def test_a_filter_of_the_wrong_type(owner: httpx.AsyncClient, name: str, value: str) -> None:
    response = await owner.get("/users", params={name: value})
    assert problem_in(response) == (400, f"invalid{name[0].upper()}{name[1:]}")


async def test_every_failing_filter_is_named_at_once(owner: httpx.AsyncClient) -> None:
    wrong: dict[str, Any] = {"limit": 0, "dateFrom": "x", "dateTo": "y", "resellerRef": 999, "showDeleted": 7}
    response = await owner.get("/users", params=wrong)
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == set(wrong)


async def test_a_brand_lists_its_own(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, system_owner: httpx.AsyncClient
) -> None:
    own, other = await ref_of_new_user(owner), await ref_of_new_user(other_brand, brandRef=OTHER_BRAND)
    assert (refs_in(await owner.get("/users")), refs_in(await other_brand.get("/users"))) == ([own], [other])
    named = await system_owner.get("/users", headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert (refs_in(named), named.json()["count"]) == ([other], "1")
    assert problem_in(await system_owner.get("/users")) == (400, "brandRequired")
    unknown = await system_owner.get("/users", headers={"X-Brand-Ref": "999"})
    assert problem_in(unknown) == (404, "brandNotFound")
    assert problem_in(await owner.get("/users?brandRef=2")) == (403, "brandMismatch")


async def test_a_page_with_many_packages_is_cut_short_and_links_on(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bound is lower here: to make 8 MiB of packages takes too long for a test."""
    monkeypatch.setattr(store, "MAX_LIST_BYTES", 100_000)
    refs = await many(owner_connection, resources, 5)
    for ref, number in zip(refs, (25, 400, 400, 0, 0), strict=True):
        await owner_connection.execute(
            "insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial,"
            " billing_period_months, price, delete_on_expiry, started_at, updated_at)"
            " select 1, $1, 4, false, false, 12, 0, false, now(), now() from generate_series(1, $2::integer)",
            ref,
            number,
        )
    first = await owner.get("/users")
    assert [len(each["accountPackages"]) for each in first.json()["accountHolders"]] == [26, 401]
    assert len(first.content) < 200_000
    assert first.json()["count"] == "5"
    assert await walk(owner, "/users") == [refs[:2], refs[2:3], refs[3:]]
    assert await walk(owner, "/users?limit=1") == [[ref] for ref in refs]
    assert await walk(owner, f"/users?before={refs[4]}", "prev") == [refs[2:4], refs[1:2], refs[:1]]
