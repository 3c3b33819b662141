"""Filters that existing clients send: by type, category and content, and templates in another order."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.paging import links, refs_in, walk
from tests.support.responses import items_in
from tests.support.sites import make_page, make_site
from tests.support.users import OwnerConnection, assign_package, make_user

PACKAGES = "/brands/1/packages"
TEMPLATES = "/v2/templates"


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ({"productType": "subscription"}, {"productType": "subscription"}),
        ({"productType": "domain"}, {"productType": "domain"}),
        ({"contentType": "domain"}, {"contentType": "domain"}),
        ({"type": "demo"}, {"type": "demo"}),
        ({"type": "standard", "productType": "subscription", "active": 1}, {"type": "standard", "active": 1}),
    ],
)
async def test_packages(caller: httpx.AsyncClient, query: dict[str, Any], fields: dict[str, Any]) -> None:
    every = items_in(await caller.get(PACKAGES), "packages")
    wanted = [each["ref"] for each in every if query.items() <= each.items()]
    response = await caller.get(PACKAGES, params=query)
    assert refs_in(response) == wanted != []
    assert len(wanted) < len(every)
    assert all(fields.items() <= each.items() for each in response.json()["packages"])


@pytest.mark.parametrize("name", ["productType", "contentType", "type"])
async def test_a_value_no_package_has(caller: httpx.AsyncClient, name: str) -> None:
    for value in ("nothing", "", "Subscription"):
        assert refs_in(await caller.get(PACKAGES, params={name: value})) == []
    assert refs_in(await caller.get(PACKAGES, params={f"{name}s": "nothing"})) != []


async def test_packages_page_by_page(owner: httpx.AsyncClient) -> None:
    refs = refs_in(await owner.get(f"{PACKAGES}?productType=subscription"))
    assert await walk(owner, f"{PACKAGES}?productType=subscription&limit=1") == [[ref] for ref in refs]


async def test_account_packages(
    caller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, package_ref=1)
    domain = await assign_package(owner_connection, 1, user_ref, 4, is_subscription=False)
    path = f"/users/{user_ref}/account-packages"
    every = items_in(await caller.get(path), "accountPackages")
    assert {each["package"]["contentType"] for each in every} == {"bundle", "domain"}
    assert refs_in(await caller.get(path, params={"contentType": "domain"})) == [domain]
    bundles = [each["ref"] for each in every if each["ref"] != domain]
    assert await walk(caller, f"{path}?contentType=bundle&limit=1") == [[ref] for ref in bundles]
    assert refs_in(await caller.get(path, params={"contentType": "nothing"})) == []


async def test_pages_by_type(
    caller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    site_ref = await make_site(owner_connection, resources)
    refs = [await make_page(owner_connection, 1, site_ref, request=f"p{number}") for number in range(3)]
    path = f"/sites/{site_ref}/pages"
    assert await walk(caller, f"{path}?type=page&limit=2") == [refs[:2], refs[2:]]
    assert refs_in(await caller.get(path, params={"type": "post"})) == []


async def test_templates_by_category(caller: httpx.AsyncClient) -> None:
    by_key = refs_in(await caller.get(TEMPLATES, params={"categoryKey": "shops"}))
    assert refs_in(await caller.get(TEMPLATES, params={"category": "shops"})) == by_key != []
    both = {"category": "shops", "categoryKey": "food-and-drink"}
    assert refs_in(await caller.get(TEMPLATES, params=both)) == []
    assert refs_in(await caller.get(TEMPLATES, params={"category": "Shops"})) == []


@pytest.fixture
async def varied(owner_connection: OwnerConnection, clean: None) -> list[int]:
    """Templates, some of the first four with the same name or the same time of change; their refs."""
    refs = [row["ref"] for row in await owner_connection.fetch("select ref from templates order by ref")]
    now = clock.now()
    others = range(4, len(refs))
    names = ["beta", "Alpha", "beta", "GAMMA", *(f"omega {number:02}" for number in others)]
    for ref, name, days in zip(refs, names, [1, 3, 3, 2, *(-number for number in others)], strict=True):
        await owner_connection.execute(
            "update templates set name = $2, updated_at = $3 where ref = $1",
            ref,
            name,
            now + timedelta(days=days),
        )
    return refs


@pytest.mark.parametrize(
    ("sort_by", "order"),
    [
        ("name", (1, 0, 2, 3)),
        ("updated", (1, 2, 3, 0)),
        ("ref", (0, 1, 2, 3)),
        ("popularity", (0, 1, 2, 3)),
        ("", (0, 1, 2, 3)),
    ],
)
async def test_templates_in_order_with_nothing_twice_and_nothing_left_out(
    owner: httpx.AsyncClient, varied: list[int], sort_by: str, order: tuple[int, ...]
) -> None:
    expected = [varied[place] for place in order] + varied[len(order) :]
    path = f"{TEMPLATES}?sortBy={sort_by}"
    assert refs_in(await owner.get(path)) == expected
    assert refs_in(await owner.get(f"{path}&offset=2")) == expected[2:]
    for limit in (1, 2, 3):
        pages = await walk(owner, f"{path}&limit={limit}")
        assert [ref for page in pages for ref in page] == expected
    response = await owner.get(f"{path}&limit=1&after={expected[-2]}")
    seen = refs_in(response)
    while previous := links(response).get("prev"):
        assert f"sortBy={sort_by}" in previous
        response = await owner.get(previous)
        seen = refs_in(response) + seen
    assert seen == expected


async def test_after_a_template_that_is_gone_the_sorted_list_starts_anew(
    owner: httpx.AsyncClient, varied: list[int]
) -> None:
    assert len(refs_in(await owner.get(f"{TEMPLATES}?sortBy=name&after=999999"))) == len(varied)
    assert refs_in(await owner.get(f"{TEMPLATES}?after=999999")) == []
