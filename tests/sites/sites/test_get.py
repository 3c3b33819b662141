"""GET /sites/:siteRef."""

import httpx

from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import TS
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.sites.shapes import GOT, create_site, get_site, mark_published, ref_of_new_site, reseller_user
from tests.support.cast import RESELLER_REF
from tests.support.responses import problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection


async def test_a_published_site_has_its_publish_time(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    await owner_connection.execute("update brands set time_zone = 'Asia/Tokyo'")
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await mark_published(owner_connection, ref, live=True)
    site = await get_site(owner, ref)
    assert_shape(site, GOT)
    assert_shape(site["lastPublish"], TS)
    assert site["lastPublish"]["timezone"] == "Asia/Tokyo"
    assert (site["live"], site["previouslyPublished"]) == (True, 1)


async def test_a_site_without_domains(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    site = await get_site(owner, await make_site(owner_connection, resources))
    assert_shape(site, GOT)
    assert (site["domains"], site["primaryDomain"], site["primaryUrl"]) == ({}, None, "")


async def test_a_deleted_site_is_shown_on_request(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner.delete(f"/sites/{ref}")
    assert problem_in(await owner.get(f"/sites/{ref}")) == (404, "siteNotFound")
    assert problem_in(await owner.get(f"/sites/{ref}?deleted=0")) == (404, "siteNotFound")
    assert (await get_site(owner, ref, deleted=1))["ref"] == ref
    assert problem_in(await owner.get(f"/sites/{ref}?deleted=2")) == (400, "invalidDeleted")


async def test_malformed_refs_are_not_found(owner: httpx.AsyncClient) -> None:
    for ref in ("0", "abc", "999999", "1.0", str(2**63), "-1"):
        assert problem_in(await owner.get(f"/sites/{ref}")) == (404, "siteNotFound")


async def test_a_reseller_sees_the_sites_of_its_own_users(
    reseller: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    own = await reseller_user(owner_connection, resources, RESELLER_REF)
    other = await reseller_user(owner_connection, resources, 8)
    ref, hidden = await ref_of_new_site(owner, own, "a.example"), await ref_of_new_site(owner, other, "b.example")
    assert (await get_site(reseller, ref))["accountHolderRef"] == own
    for method, path in (
        ("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/hard-delete"), ("POST", "/restore"), ("GET", "/domains"),
        ("POST", "/domains"), ("DELETE", "/domains/1"),
    ):  # fmt: skip
        response = await reseller.request(method, f"/sites/{hidden}{path}")
        assert problem_in(response) == (404, "siteNotFound"), (method, path)
    assert problem_in(await reseller.get(f"/users/{other}/sites")) == (404, "userNotFound")
    for table, column in (("users", "ref"), ("sites", "user_ref")):
        await owner_connection.execute(f"update {table} set reseller_ref = 8 where {column} = $1", own)
    assert problem_in(await reseller.get(f"/sites/{ref}")) == (404, "siteNotFound")


async def test_what_is_created_is_shown(
    owner: httpx.AsyncClient, owner_operator: httpx.AsyncClient, user_ref: int
) -> None:
    site = await create_site(owner, user_ref, "a.example")
    assert (await get_site(owner_operator, site["ref"]))["profileRef"] == site["profileRef"]
