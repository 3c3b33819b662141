"""GET /users/:userRef/sites."""

from typing import Any

import httpx
import pytest

from sitewright.kit.http import list_size_limit
from sitewright.kit.resources import Resources
from sitewright.sites.sites import store
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.sites.shapes import OF_USER, create_site, get_site, ref_of_new_site
from tests.support.paging import links, refs_in, walk
from tests.support.responses import problem_in
from tests.support.sites import make_page
from tests.support.users import OwnerConnection, make_user


async def test_every_field_has_its_type(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    site = await create_site(owner, user_ref, "a.example")
    for name in ("home", "about"):
        await make_page(owner_connection, 1, site["ref"], request=name)
    fields = [{"name": "business", "value": "Joe's"}]
    await owner.put(f"/users/{user_ref}/profiles/{site['profileRef']}", json={"fields": fields})
    [listed] = (await owner.get(f"/users/{user_ref}/sites")).json()["sites"]
    assert_shape(listed, OF_USER)
    assert (listed["pages"], listed["templateSelected"], listed["owned"]) == ("2", True, True)
    assert listed["profile"] == {"ref": site["profileRef"], "fields": fields}
    shown = await get_site(owner, site["ref"])
    assert {name: listed[name] for name in shown} == shown


async def test_the_users_sites_are_listed_in_order(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    other = await make_user(owner_connection, resources, username="other")
    refs = [await ref_of_new_site(owner, user_ref, f"site{number}.example") for number in range(12)]
    await ref_of_new_site(owner, other, "other.example")
    listed = (await owner.get(f"/users/{user_ref}/sites")).json()["sites"]
    assert [site["ref"] for site in listed] == refs


async def test_deleted_sites_are_listed_on_request(owner: httpx.AsyncClient, user_ref: int) -> None:
    first, second = [await ref_of_new_site(owner, user_ref, f"{name}.example") for name in "ab"]
    await owner.delete(f"/sites/{first}")
    path = f"/users/{user_ref}/sites"
    assert [site["ref"] for site in (await owner.get(path)).json()["sites"]] == [second]
    assert [site["ref"] for site in (await owner.get(f"{path}?deleted=1")).json()["sites"]] == [first, second]
    assert problem_in(await owner.get(f"{path}?deleted=x")) == (400, "invalidDeleted")


async def test_a_user_without_sites(owner: httpx.AsyncClient, user_ref: int) -> None:
    assert (await owner.get(f"/users/{user_ref}/sites")).json() == {"sites": []}
    await owner.delete(f"/users/{user_ref}")
    assert problem_in(await owner.get(f"/users/{user_ref}/sites")) == (404, "userNotFound")


async def test_consistent_types(owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int) -> None:
    await owner_connection.execute("update brands set consistent_types = true, default_template_ref = null")
    await ref_of_new_site(owner, user_ref, "a.example")
    [listed] = (await owner.get(f"/users/{user_ref}/sites")).json()["sites"]
    assert (listed["pages"], listed["templateSelected"]) == (0, False)


async def test_large_profiles_make_pages_shorter(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    refs = [await ref_of_new_site(owner, user_ref, f"large{number}.example") for number in range(5)]
    await owner_connection.execute(
        "update profiles set fields = (select jsonb_object_agg('f' || number, repeat('x', 10000))"
        " from generate_series(1, 315) number) where user_ref = $1",
        user_ref,
    )
    assert await walk(owner, f"/users/{user_ref}/sites") == [refs[:3], refs[3:]]
    assert await walk(owner, f"/users/{user_ref}/sites?limit=2") == [refs[:2], refs[2:4], refs[4:]]
    assert await walk(owner, f"/users/{user_ref}/sites?before={refs[4]}", "prev") == [refs[1:4], refs[:1]]


@pytest.mark.parametrize("vanishing", [0, 1, 2])
async def test_a_site_that_vanishes_while_a_large_list_is_read(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    user_ref: int,
    monkeypatch: pytest.MonkeyPatch,
    vanishing: int,
) -> None:
    """It is deleted after the refs of the page were read, and before their details are; the response is too large."""
    refs = [await ref_of_new_site(owner, user_ref, f"{name}.example") for name in "abc"]
    read_page = store.read_page_of_user

    async def read_page_then_delete(*args: Any, **kwargs: Any) -> tuple[list[int], bool]:
        page = await read_page(*args, **kwargs)
        await owner_connection.execute("update sites set primary_domain_ref = null where ref = $1", refs[vanishing])
        for statement in ("delete from site_domains where site_ref = $1", "delete from sites where ref = $1"):
            await owner_connection.execute(statement, refs[vanishing])
        return page

    monkeypatch.setattr(store, "read_page_of_user", read_page_then_delete)
    monkeypatch.setattr(list_size_limit, "MAX_RESPONSE_BYTES", 1)
    left = [ref for ref in refs if ref != refs[vanishing]]
    response = await owner.get(f"/users/{user_ref}/sites")
    assert refs_in(response) == left[:1]
    assert refs_in(await owner.get(links(response)["next"])) == left[1:]
