"""GET /users?search=: which users are found."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.resellers.shapes import new_reseller
from tests.accounts.search.support import create, found, new_site
from tests.support.account_domains import DOMAIN_PACKAGES
from tests.support.cast import OTHER_BRAND, RESELLER_REF
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_reseller, make_user


async def test_by_every_kind_of_word(owner: httpx.AsyncClient) -> None:
    ref = await create(
        owner,
        "zebra99",
        firstName="José-María",
        lastName="Weißmüller",
        company="O'Brien & Söhne",
        email="pepe.w@office.acme-post.example",
    )
    await create(owner, "other", firstName="Bea", lastName="Bell")
    for search in (
        "jose", "JOSÉ", "maria", "weissm", "weißmuller", "obrien", "o'bri", "sohne", "ZEB", "zebra99", "pepe.w@off",
        "w@o", "office.acme", "acme", "post.example", str(ref), "weiß jos acm", "sohne, pepe",
        "jose\N{COMBINING ACUTE ACCENT}",
    ):  # fmt: skip
        assert await found(owner, search) == ["zebra99"], search
    for search in ("ose", "zebra990", "acme.example", "jose bell", f"{ref}0", "com", "_ jose x"):
        assert await found(owner, search) == [], search


async def test_the_mail_address_of_two_words_finds_one_user(owner: httpx.AsyncClient) -> None:
    for number in range(3):
        await create(owner, f"ann{number}", firstName="Ann", lastName="Example")
    assert await found(owner, "ann1@ann1.mail.example") == ["ann1"]
    assert await found(owner, "exa ann") == ["ann0", "ann1", "ann2"]


async def test_by_domains_of_sites_until_they_are_unmapped(owner: httpx.AsyncClient) -> None:
    ref = await create(owner, "holder")
    site = (await owner.post("/sites", json=new_site(ref, "www.blue-shop.example"))).json()
    site_ref = site["site"]["ref"]
    assert await found(owner, "blue") == await found(owner, "shop.exa") == await found(owner, "www.blue-") == ["holder"]
    added = await owner.post(f"/sites/{site_ref}/domains", json={"domain": "xn--bcher-kva.example"})
    assert added.is_success, added.text
    assert await found(owner, "bücher") == await found(owner, "bucher.example") == ["holder"]
    domains = (await owner.get(f"/sites/{site_ref}/domains")).json()["domainToSiteMaps"]
    await owner.delete(f"/sites/{site_ref}/domains/{domains[-1]['ref']}")
    assert await found(owner, "bücher") == []
    await owner.delete(f"/sites/{site_ref}")
    assert await found(owner, "blue") == []


async def test_by_account_domains_until_they_are_deleted(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await create(owner, "holder")
    body = {"domainName": "greenhouse.com", "packageRef": DOMAIN_PACKAGES[1]}
    bought = await owner.post(f"/users/{ref}/account-domains", json=body)
    assert bought.is_success, bought.text
    assert await found(owner, "greenh") == ["holder"]


async def test_by_names_of_the_reseller(
    system_owner: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    body = {"name": "Nordlicht GmbH", "displayName": "Nord Hosting"}
    created = await owner.post("/brands/1/resellers", json=new_reseller(**body))
    assert created.is_success, created.text
    reseller_ref = created.json()["reseller"]["ref"]
    await create(owner, "theirs", firstName="Ann", resellerRef=reseller_ref)
    await create(owner, "own", firstName="Ann")
    assert await found(owner, "nordl") == await found(owner, "hosting ann") == ["theirs"]
    assert await found(owner, str(reseller_ref)) >= ["theirs"]
    before = await owner_connection.fetch("select xmin::text from search_terms order by ctid")
    renamed = await owner.put(f"/resellers/{reseller_ref}", json={"name": "Südstern", "displayName": "S"})
    assert renamed.is_success, renamed.text
    assert (await found(owner, "nordl"), await found(owner, "sudstern")) == ([], ["theirs"])
    assert await owner_connection.fetch("select xmin::text from search_terms order by ctid") == before
    await owner.delete(f"/resellers/{reseller_ref}")
    assert await found(owner, "sudstern") == []


async def test_renamed_users_are_found_by_their_new_names_only(owner: httpx.AsyncClient) -> None:
    ref = await create(owner, "before", firstName="Former", email="former@old.example")
    changes = {"firstName": "Newer", "username": "after", "email": "newer@fresh.example", "company": "Firm"}
    assert (await owner.put(f"/users/{ref}", json=changes)).is_success
    for former in ("before", "former", "old.example"):
        assert await found(owner, former) == []
    for new in ("after", "newer", "fresh", "firm", "newer firm fresh"):
        assert await found(owner, new) == ["after"]


async def test_deleted_users_with_show_deleted(owner: httpx.AsyncClient) -> None:
    ref = await create(owner, "gone")
    await owner.delete(f"/users/{ref}")
    assert (await found(owner, "gone"), await found(owner, "gone", showDeleted=1)) == ([], ["gone"])
    await owner.put(f"/users/{ref}", json={"deleted": 0})
    assert await found(owner, "gone") == ["gone"]


async def test_anonymized_users_are_found_by_their_ref_only(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await create(owner, "secretive", firstName="Hidden")
    site = await owner.post("/sites", json=new_site(ref, "hidden.shop.example"))
    assert (await owner.post(f"/users/{ref}/anonymise")).status_code == 204
    for former in ("secretive", "hidden", "shop.example", "anonymised"):
        assert await found(owner, former, showDeleted=1) == []
    assert await found(owner, str(ref)) == ["anonymised"]
    await owner.post(f"/sites/{site.json()['site']['ref']}/domains", json={"domain": "later.example"})
    assert await owner_connection.fetchval("select count(*) from search_terms where user_ref = $1", ref) == 0


async def test_users_of_other_brands_and_resellers_are_never_found(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    owner_connection: OwnerConnection,
) -> None:
    await make_reseller(owner_connection, 1, RESELLER_REF)
    ref = await create(owner, "zoe", firstName="Zoe")
    await create(reseller, "zora", firstName="Zora")
    await create(other_brand, "zita", firstName="Zita", brandRef=OTHER_BRAND)
    assert await found(owner, "z") == ["zoe", "zora"]
    assert await found(other_brand, "z") == ["zita"]
    assert await found(reseller, "z") == ["zora"]
    assert await found(owner, "z", resellerRef=RESELLER_REF) == ["zora"]
    for client in (other_brand, reseller):
        assert await found(client, str(ref)) == await found(client, "zoe") == []


async def test_with_dates(owner: httpx.AsyncClient) -> None:
    await create(owner, "dated")
    assert await found(owner, "dated", dateFrom="2000-01-01") == ["dated"]
    assert await found(owner, "dated", dateTo="2000-01-01") == []


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ({"search": ""}, "search", "must hold a letter or a digit"),
        ({"search": "%-' "}, "search", "must hold a letter or a digit"),
        ({"search": "a" * 201}, "search", "200"),
        ({"search": "a b c d e f g h i"}, "search", "may hold 8 words at the most"),
        ({"search": "a", "offset": 1}, "offset", "follow the Link header instead"),
        ({"search": "a", "username": "b"}, "username", "cannot be combined with search"),
        ({"search": "a", "email": "b"}, "email", "cannot be combined with search"),
    ],
)
async def test_what_cannot_be_searched_for(
    owner: httpx.AsyncClient, query: dict[str, str], field: str, message: str
) -> None:
    response = await owner.get("/users", params=query)
    assert problem_in(response)[0] == 400
    [(name, failures)] = response.json()["errors"].items()
    assert name == field
    assert message in next(iter(failures.values()))


async def test_users_who_were_never_indexed_are_not_found_yet_but_listed(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_user(owner_connection, resources, username="unindexed")
    assert await found(owner, "unindexed") == []
    assert await found(owner, str(ref)) == ["unindexed"]
