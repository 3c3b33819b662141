"""Which sites can be live: only published ones, within the package's limits."""

import asyncio

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.sites.sites.shapes import all_rows, edit_site, get_site, live_refs, mark_published, ref_of_new_site
from tests.support.responses import problem_in
from tests.support.sites import make_page, make_site
from tests.support.users import OwnerConnection, assign_package, make_user


async def sites_of(owner_connection: OwnerConnection, resources: Resources, user_ref: int, number: int) -> list[int]:
    """Published, and offline."""
    refs = [await make_site(owner_connection, resources, user_ref=user_ref) for _ in range(number)]
    await mark_published(owner_connection, *refs)
    return refs


async def test_a_site_that_was_never_published_cannot_be_live(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    before = await all_rows(owner_connection)
    response = await owner.put(f"/sites/{ref}", json={"live": 1, "protocol": "https"})
    assert problem_in(response) == (409, "neverPublished")
    assert await all_rows(owner_connection) == before
    await edit_site(owner, ref, live=0)
    assert (await get_site(owner, ref))["live"] is False


@pytest.mark.parametrize("value", [1, "1", True])
async def test_a_published_site_goes_live_and_offline(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int, value: object
) -> None:
    [ref] = await sites_of(owner_connection, resources, user_ref, 1)
    await edit_site(owner, ref, live=value)
    assert (await get_site(owner, ref))["live"] is True
    await edit_site(owner, ref, live=0)
    assert (await get_site(owner, ref))["live"] is False


async def test_the_package_limits_live_sites(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, package_ref=2)
    first, second = await sites_of(owner_connection, resources, user_ref, 2)
    await edit_site(owner, first, live=1)
    before = await all_rows(owner_connection)
    response = await owner.put(f"/sites/{second}", json={"live": 1, "enabled": 0})
    assert problem_in(response) == (403, "packageLimitReached")
    assert response.json()["errors"] == {"liveSites": {"packageLimitReached": "the package allows 1, and 1 are in use"}}
    assert response.json()["detail"].startswith("liveSites: the package allows 1, and 1 are in use")
    assert await all_rows(owner_connection) == before
    await edit_site(owner, first, live=1)
    await edit_site(owner, first, live=0)
    await edit_site(owner, second, live=1)
    assert await live_refs(owner_connection) == [second]


async def test_deleted_sites_are_not_counted(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, package_ref=2)
    first, second = await sites_of(owner_connection, resources, user_ref, 2)
    await edit_site(owner, first, live=1)
    await owner.delete(f"/sites/{first}")
    await edit_site(owner, second, live=1)


async def test_the_suspension_package_allows_none(
    other_brand: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, 2)
    ref = await make_site(owner_connection, resources, 2, user_ref=user_ref)
    await mark_published(owner_connection, ref)
    response = await other_brand.put(f"/sites/{ref}", json={"live": 1})
    assert problem_in(response) == (403, "packageLimitReached")
    assert "the package allows 0, and 0 are in use" in response.json()["detail"]


async def test_a_user_without_a_package_has_nothing_live(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    [ref] = await sites_of(owner_connection, resources, user_ref, 1)
    await owner_connection.execute("update account_packages set ended_at = now()")
    assert problem_in(await owner.put(f"/sites/{ref}", json={"live": 1})) == (403, "packageLimitReached")


async def test_the_package_limits_active_pages_where_it_says_so(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    [ref] = await sites_of(owner_connection, resources, user_ref, 1)
    for name in ("home", "about", "menu"):
        await make_page(owner_connection, 1, ref, request=name)
    await make_page(owner_connection, 1, ref, request="draft", status="draft")
    await assign_package(owner_connection, 1, user_ref, 1)
    response = await owner.put(f"/sites/{ref}", json={"live": 1})
    assert problem_in(response) == (403, "packageLimitReached")
    assert response.json()["errors"] == {
        "pagesLimited": {"packageLimitReached": "the package allows 2, and 3 are in use"}
    }
    await owner_connection.execute("update pages set status = 'inactive' where request = 'menu'")
    await edit_site(owner, ref, live=1)


async def test_the_limit_holds_for_concurrent_requests(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    refs = await sites_of(owner_connection, resources, user_ref, 12)
    responses = await asyncio.gather(*(owner.put(f"/sites/{ref}", json={"live": 1}) for ref in refs))
    assert sorted(response.status_code for response in responses) == [200] * 5 + [403] * 7
    assert len(await live_refs(owner_connection)) == 5


async def test_going_live_and_losing_the_package_concurrently(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    refs = await sites_of(owner_connection, resources, user_ref, 5)
    calls = [owner.put(f"/sites/{ref}", json={"live": 1}) for ref in refs]
    calls.insert(2, owner.post(f"/users/{user_ref}/account-packages", json={"packageRef": 1}))
    responses = await asyncio.gather(*calls)
    assert {response.status_code for response in responses} <= {200, 403}
    assert len(await live_refs(owner_connection)) <= 1


async def test_no_site_of_a_deleted_account_holder_goes_live(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    [ref] = await sites_of(owner_connection, resources, user_ref, 1)
    await owner.delete(f"/users/{user_ref}")
    assert problem_in(await owner.put(f"/sites/{ref}", json={"live": 1})) == (409, "accountHolderDeleted")


async def test_a_suspended_account_holders_site_may_be_set_live(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    [ref] = await sites_of(owner_connection, resources, user_ref, 1)
    await owner.post(f"/users/{user_ref}/suspend")
    await edit_site(owner, ref, live=1)
