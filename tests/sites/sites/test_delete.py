"""DELETE /sites/:siteRef, restore and hard-delete."""

import asyncio

import httpx

from sitewright.kit.resources import Resources
from tests.sites.sites.shapes import (
    create_site,
    edit_site,
    get_site,
    map_domain,
    mark_published,
    names_of,
    ref_of_new_site,
    reseller_user,
)
from tests.support.cast import RESELLER_REF
from tests.support.responses import problem_in
from tests.support.sites import make_page, make_site, make_widget
from tests.support.users import OwnerConnection, insert


async def test_a_deleted_site_is_offline_and_its_domains_are_free(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await mark_published(owner_connection, ref, live=True)
    response = await owner.delete(f"/sites/{ref}")
    assert (response.status_code, response.content) == (204, b"")
    shown = await get_site(owner, ref, deleted=1)
    assert (shown["live"], shown["domains"], shown["primaryDomain"]) == (False, {}, None)
    await ref_of_new_site(owner, user_ref, "a.example")


async def test_a_site_is_deleted_once(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    responses = await asyncio.gather(*(owner.delete(f"/sites/{ref}") for _ in range(5)))
    assert sorted(response.status_code for response in responses) == [204, 404, 404, 404, 404]


async def test_a_restored_site_is_as_it_was_but_offline(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    second = await map_domain(owner, ref, "b.example")
    await map_domain(owner, ref, "c.example")
    await edit_site(owner, ref, primaryUrlRef=second, protocol="https")
    await mark_published(owner_connection, ref, live=True)
    before = await get_site(owner, ref)
    await owner.delete(f"/sites/{ref}")
    response = await owner.post(f"/sites/{ref}/restore")
    assert (response.status_code, response.json()["site"]) == (200, before | {"live": False})
    assert await get_site(owner, ref) == before | {"live": False}


async def test_only_free_domains_are_restored(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await map_domain(owner, ref, "b.example")
    await owner.delete(f"/sites/{ref}")
    other = await ref_of_new_site(owner, user_ref, "a.example")
    site = (await owner.post(f"/sites/{ref}/restore")).json()["site"]
    assert (names_of(site), site["primaryDomain"]["domainName"]) == (["b.example"], "b.example")
    assert names_of(await get_site(owner, other)) == ["a.example"]
    await owner.delete(f"/sites/{other}")
    await owner.delete(f"/sites/{ref}")
    assert names_of((await owner.post(f"/sites/{ref}/restore")).json()["site"]) == ["b.example"]


async def test_a_name_of_another_brand_is_not_restored(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "shop.moved.example")
    await owner.delete(f"/sites/{ref}")
    await owner_connection.execute("update brands set domain = 'moved.example' where brand_ref = 2")
    site = (await owner.post(f"/sites/{ref}/restore")).json()["site"]
    assert (site["domains"], site["primaryUrl"]) == ({}, "")


async def test_restoring_is_idempotent(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await mark_published(owner_connection, ref, live=True)
    before = await get_site(owner, ref)
    assert (await owner.post(f"/sites/{ref}/restore")).json()["site"] == before
    actions = await owner_connection.fetch("select action from audit_entries where subject = 'site'")
    assert [row["action"] for row in actions] == ["create"]


async def test_concurrent_restores_of_the_same_names(owner: httpx.AsyncClient, user_ref: int) -> None:
    refs = []
    for _ in range(6):
        ref = await ref_of_new_site(owner, user_ref, "a.example")
        for name in ("c.example", "b.example"):
            await map_domain(owner, ref, name)
        await owner.delete(f"/sites/{ref}")
        refs.append(ref)
    responses = await asyncio.gather(*(owner.post(f"/sites/{ref}/restore") for ref in refs))
    names = [name for response in responses for name in names_of(response.json()["site"])]
    assert sorted(names) == ["a.example", "b.example", "c.example"]


async def test_a_hard_deleted_site_leaves_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    site = await create_site(owner, user_ref, "a.example")
    ref = site["ref"]
    page_ref = await make_page(owner_connection, 1, ref)
    widget_ref = await make_widget(owner_connection, 1, ref, page_ref)
    one = {"brand_ref": 1, "name": "x", "value": "y"}
    await insert(owner_connection, "widget_values", one | {"widget_ref": widget_ref})
    await insert(owner_connection, "global_values", one | {"site_ref": ref})
    await owner_connection.execute("insert into site_versions values (1, $1, 1, now(), null)", ref)
    await owner_connection.execute("insert into site_files values (1, $1, 1, '', 'text/html', 'etag', 'x')", ref)
    response = await owner.post(f"/sites/{ref}/hard-delete")
    assert (response.status_code, response.content) == (204, b"")
    for table in (
        "sites", "profiles", "site_domains", "pages", "widgets", "widget_values", "global_values", "site_versions",
        "site_files",
    ):  # fmt: skip
        assert await owner_connection.fetchval(f"select count(*) from {table}") == 0, table
    assert problem_in(await owner.get(f"/sites/{ref}?deleted=1")) == (404, "siteNotFound")
    assert problem_in(await owner.post(f"/sites/{ref}/hard-delete")) == (404, "siteNotFound")
    assert problem_in(await owner.post(f"/sites/{ref}/restore")) == (404, "siteNotFound")
    path = f"/users/{user_ref}/profiles/{site['profileRef']}"
    assert problem_in(await owner.get(path)) == (404, "profileNotFound")


async def test_others_stay_when_one_is_hard_deleted(owner: httpx.AsyncClient, user_ref: int) -> None:
    first, second = [await ref_of_new_site(owner, user_ref, f"{name}.example") for name in "ab"]
    before = await get_site(owner, second)
    await owner.delete(f"/sites/{first}")
    assert (await owner.post(f"/sites/{first}/hard-delete")).status_code == 204
    assert await get_site(owner, second) == before
    await ref_of_new_site(owner, user_ref, "a.example")


async def test_hard_delete_requires_api_release_44(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    older = await owner.post(f"/sites/{ref}/hard-delete", headers={"X-Api-Version": "7.43"})
    assert problem_in(older) == (404, "notInThisVersion")
    assert (await owner.post(f"/sites/{ref}/hard-delete", headers={"X-Api-Version": "44"})).status_code == 204


async def test_each_step_is_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner.delete(f"/sites/{ref}")
    await owner.post(f"/sites/{ref}/restore")
    await owner.post(f"/sites/{ref}/hard-delete")
    rows = await owner_connection.fetch(
        "select action, subject_ref from audit_entries where subject = 'site' order by ref"
    )
    assert [tuple(row) for row in rows] == [(step, ref) for step in ("create", "delete", "restore", "hard-delete")]


async def test_a_reseller_deletes_its_own(
    reseller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    own = await reseller_user(owner_connection, resources, RESELLER_REF)
    ref = await make_site(owner_connection, resources, user_ref=own)
    assert (await reseller.delete(f"/sites/{ref}")).status_code == 204
    assert (await reseller.post(f"/sites/{ref}/restore")).status_code == 200
    assert (await reseller.post(f"/sites/{ref}/hard-delete")).status_code == 204
