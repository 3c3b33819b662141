"""The domains of a site: mapping, listing, unmapping, and uniqueness."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.sites.sites import store
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.sites.shapes import (
    all_rows,
    create_site,
    edit_site,
    get_site,
    map_domain,
    names_of,
    ref_of_new_site,
    reseller_user,
)
from tests.support.cast import RESELLER_REF
from tests.support.paging import refs_in, walk
from tests.support.responses import problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection


async def test_a_mapping_has_its_shape(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    response = await owner.post(f"/sites/{ref}/domains", json={"domain": "WWW.Bücher.Example."})
    assert response.status_code == 201
    mapping = response.json()["domainToSiteMap"]
    assert_shape(mapping, {"ref": (int,), "siteRef": (int,), "domain": (str,)})
    assert (mapping["siteRef"], mapping["domain"]) == (ref, "www.xn--bcher-kva.example")
    listed = (await owner.get(f"/sites/{ref}/domains")).json()["domainToSiteMaps"]
    certificate = listed[1].pop("certificate")
    assert (listed[0]["domain"], listed[1]) == ("a.example", mapping)
    assert (certificate["source"], certificate["status"]) == ("none", "off")
    assert names_of(await get_site(owner, ref)) == ["a.example", "www.xn--bcher-kva.example"]


async def test_the_limit_of_domains(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner_connection.execute(
        "insert into site_domains (brand_ref, site_ref, domain, created_at)"
        " select 1, $1, 'd' || n || '.example', now() from generate_series(1, $2::integer) n",
        ref, resources.settings.site_domains_limit - 2,
    )  # fmt: skip
    path = f"/sites/{ref}/domains"
    responses = await asyncio.gather(*(owner.post(path, json={"domain": f"{name}.example"}) for name in "bcd"))
    assert sorted(response.status_code for response in responses) == [201, 409, 409]
    one_too_many = await owner.post(path, json={"domain": "e.example"})
    assert problem_in(one_too_many) == (409, "domainLimitReached")
    assert "1000 domains" in one_too_many.json()["detail"]
    [first, *_] = (await owner.get(f"{path}?limit=1")).json()["domainToSiteMaps"]
    assert (await owner.delete(f"{path}/{first['ref']}")).status_code == 204
    assert (await owner.post(path, json={"domain": "e.example"})).status_code == 201


async def test_the_oldest_that_remains_becomes_primary(owner: httpx.AsyncClient, user_ref: int) -> None:
    site = await create_site(owner, user_ref, "a.example")
    ref, first = site["ref"], site["primaryDomain"]["ref"]
    second, third = await map_domain(owner, ref, "b.example"), await map_domain(owner, ref, "c.example")
    for domain_ref, primary in ((first, "b.example"), (third, "b.example"), (second, None)):
        response = await owner.delete(f"/sites/{ref}/domains/{domain_ref}")
        assert (response.status_code, response.content) == (204, b"")
        shown = (await get_site(owner, ref))["primaryDomain"]
        assert (None if shown is None else shown["domainName"]) == primary
    assert (await get_site(owner, ref))["primaryUrl"] == ""
    await map_domain(owner, ref, "d.example")
    assert (await get_site(owner, ref))["primaryUrl"] == "http://d.example"


async def test_unmapping_another_domain_keeps_the_primary_one(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    second = await map_domain(owner, ref, "b.example")
    await edit_site(owner, ref, primaryUrlRef=second)
    first = next(int(key) for key, name in (await get_site(owner, ref))["domains"].items() if name == "a.example")
    await owner.delete(f"/sites/{ref}/domains/{first}")
    assert (await get_site(owner, ref))["primaryUrl"] == "http://b.example"
    assert problem_in(await owner.delete(f"/sites/{ref}/domains/{first}")) == (404, "domainNotFound")


async def test_other_sites_domains_cannot_be_unmapped(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    other = await create_site(owner, user_ref, "b.example")
    for domain_ref in (other["primaryDomain"]["ref"], 999_999, 0, "x"):
        assert problem_in(await owner.delete(f"/sites/{ref}/domains/{domain_ref}")) == (404, "domainNotFound")
    assert names_of(await get_site(owner, other["ref"])) == ["b.example"]


async def test_a_name_belongs_to_one_site_in_the_whole_environment(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user_ref: int,
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "taken.example")
    foreign = await make_site(owner_connection, resources, 2)
    before = await all_rows(owner_connection)
    own = await owner.post(f"/sites/{ref}/domains", json={"domain": "TAKEN.example"})
    theirs = await other_brand.post(f"/sites/{foreign}/domains", json={"domain": "taken.example."})
    new = await owner.post("/sites", json={"brandRef": 1, "accountHolderRef": user_ref, "domain": "taken.example"})
    for response in (own, theirs, new):
        assert problem_in(response) == (409, "domainTaken")
        assert response.json()["detail"] == own.json()["detail"]
    assert await all_rows(owner_connection) == before


async def test_an_unmapped_name_can_be_mapped_again(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref, foreign = await make_site(owner_connection, resources), await make_site(owner_connection, resources, 2)
    domain_ref = await map_domain(owner, ref, "a.example")
    await owner.delete(f"/sites/{ref}/domains/{domain_ref}")
    await map_domain(other_brand, foreign, "a.example")


WRONG: list[Any] = [
    None, "", "localhost", "1.2.3.4", "[::1]", "http://a.example", "a.example/x", "a.example:80", "*.a.example",
    "a..example", "a_b.example", "-a.example", " a.example", "a" * 256, "a." * 127 + "b", "☃.example", "nul\0.example",
    7, ["a.example"],
]  # fmt: skip


@pytest.mark.parametrize("domain", WRONG, ids=lambda domain: repr(domain)[:30])
async def test_invalid_host_names_change_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int, domain: Any
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    before = await all_rows(owner_connection)
    body = {} if domain is None else {"domain": domain}
    assert problem_in(await owner.post(f"/sites/{ref}/domains", json=body)) == (400, "invalidDomain")
    assert await all_rows(owner_connection) == before


async def test_a_brands_domain_and_all_below_it_are_that_brands(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref, foreign = await make_site(owner_connection, resources), await make_site(owner_connection, resources, 2)
    names = ("northwind.example", "shop.northwind.example", "a.b.northwind.example")
    for name in names:
        response = await other_brand.post(f"/sites/{foreign}/domains", json={"domain": name})
        assert problem_in(response) == (409, "domainTaken")
    for name in (*names, "notnorthwind.example"):
        await map_domain(owner, ref, name)


async def test_no_reseller_gets_the_brands_domain_itself(
    reseller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    own = await reseller_user(owner_connection, resources, RESELLER_REF)
    ref = await make_site(owner_connection, resources, user_ref=own)
    response = await reseller.post(f"/sites/{ref}/domains", json={"domain": "Northwind.example"})
    assert problem_in(response) == (409, "domainTaken")
    await map_domain(reseller, ref, "shop.northwind.example")


async def test_of_fifty_concurrent_mappings_one_succeeds(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    body = {"brandRef": 1, "accountHolderRef": user_ref, "domain": "wanted.example"}
    responses = await asyncio.gather(*(owner.post("/sites", json=body) for _ in range(50)))
    assert sorted(response.status_code for response in responses) == [201] + [409] * 49
    for table in ("sites", "profiles", "site_domains"):
        assert await owner_connection.fetchval(f"select count(*) from {table}") == 1


async def test_mapping_and_unmapping_are_audited(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    domain_ref = await map_domain(owner, ref, "b.example")
    await owner.delete(f"/sites/{ref}/domains/{domain_ref}")
    rows = await owner_connection.fetch(
        "select action, subject_ref, details ->> 'domainRef' from audit_entries where action like '%map domain'"
    )
    assert [tuple(row) for row in rows] == [(action, ref, str(domain_ref)) for action in ("map domain", "unmap domain")]


async def test_a_deleted_site_gets_no_domains(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner.delete(f"/sites/{ref}")
    assert problem_in(await owner.post(f"/sites/{ref}/domains", json={})) == (404, "siteNotFound")
    assert problem_in(await owner.get(f"/sites/{ref}/domains")) == (404, "siteNotFound")


async def test_pagination(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    path = f"/sites/{ref}/domains"
    refs = [*refs_in(await owner.get(path)), *[await map_domain(owner, ref, f"{each}.example") for each in "bcd"]]
    assert await walk(owner, path) == [refs]
    assert await walk(owner, f"{path}?limit=3") == [refs[:3], refs[3:]]
    assert await walk(owner, f"{path}?limit=2&before={refs[3]}", "prev") == [refs[1:3], refs[:1]]


async def test_many_domains_make_pages_shorter(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is lowered, since indexing 8 MiB of names takes too long for a test."""
    monkeypatch.setattr(store, "MAX_LIST_BYTES", 100_000)
    refs = [await ref_of_new_site(owner, user_ref, f"{each}.example") for each in "abcde"]
    await owner_connection.execute(
        "insert into site_domains (brand_ref, site_ref, domain, created_at)"
        " select 1, site, site || '-' || n || '.' || repeat('a', 230), now()"
        " from unnest($1::bigint[]) site, generate_series(1, 190) n",
        refs[:4],
    )
    response = await owner.get("/sites?brandRef=1")
    assert len(response.content) < 150_000
    assert refs_in(response) == refs[:2]
    assert await walk(owner, "/sites?brandRef=1") == [refs[:2], refs[2:4], refs[4:]]
    assert await walk(owner, f"/users/{user_ref}/sites") == [refs[:2], refs[2:4], refs[4:]]
    assert refs_in(await owner.get(f"/sites?brandRef=1&before={refs[4]}")) == refs[2:4]
