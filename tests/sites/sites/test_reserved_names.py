"""Reserved names below a brand's domain: 409 `domainReserved` wherever a host would be mapped."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.sites.sites.shapes import create_site, get_site, names_of, ref_of_new_site, reseller_user
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

RESERVED = (409, "domainReserved")
NAMES = [
    *("login", "www", "account", "console", "admin", "api", "mail", "support", "billing", "status"),
    *("autodiscover", "autoconfig", "mta-sts", "wpad", "ns1", "smtp", "imap", "pop", "webmail", "ftp"),
    *("cpanel", "postmaster", "openpgpkey", "localhost"),
]


def body(user_ref: int, **names: str) -> dict[str, object]:
    return {"brandRef": OWN_BRAND, "accountHolderRef": user_ref, **names}


@pytest.mark.parametrize("name", NAMES)
async def test_no_site_is_created_on_one(owner: httpx.AsyncClient, user_ref: int, name: str) -> None:
    for names in ({"subdomain": name}, {"domain": f"{name}.northwind.example"}):
        assert problem_in(await owner.post("/sites", json=body(user_ref, **names))) == RESERVED


@pytest.mark.parametrize(
    "spelling",
    [
        "LOGIN.Northwind.Example.",
        "ｌｏｇｉｎ.northwind.example",
        "login。northwind。example",
        "\u017ftatu\u017f.northwind.example",
        "secure.login.northwind.example",
        "a.b.mail.northwind.example",
    ],
)
async def test_every_spelling_and_every_name_below_is_reserved(
    owner: httpx.AsyncClient, user_ref: int, spelling: str
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    response = await owner.post(f"/sites/{ref}/domains", json={"domain": spelling})
    assert problem_in(response) == RESERVED


@pytest.mark.parametrize(
    "name",
    ["logins.northwind.example", "www.shop.northwind.example", "login.example", "northwind.example"],
)
async def test_other_names_are_free(owner: httpx.AsyncClient, user_ref: int, name: str) -> None:
    await create_site(owner, user_ref, name)


async def test_another_brands_reserved_name_is_taken(owner: httpx.AsyncClient, user_ref: int) -> None:
    response = await owner.post("/sites", json=body(user_ref, domain="login.southgate.example"))
    assert problem_in(response) == (409, "domainTaken")


async def test_a_system_owner_may_map_one(system_owner: httpx.AsyncClient, user_ref: int) -> None:
    site = await create_site(system_owner, user_ref, subdomain="status")
    assert site["primaryDomain"]["domainName"] == "status.northwind.example"


async def test_a_brand_reserves_and_allows_names_of_its_own(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    await owner_connection.execute(
        "update brands set reserved_names = '{jobs}', allowed_reserved_names = '{www}' where brand_ref = 1"
    )
    assert problem_in(await owner.post("/sites", json=body(user_ref, subdomain="jobs"))) == RESERVED
    assert problem_in(await owner.post("/sites", json=body(user_ref, subdomain="login"))) == RESERVED
    await create_site(owner, user_ref, subdomain="www")


async def test_what_a_brand_allows_is_not_for_its_resellers(
    reseller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await owner_connection.execute("update brands set allowed_reserved_names = '{www}' where brand_ref = 1")
    theirs = await reseller_user(owner_connection, resources, RESELLER_REF)
    assert problem_in(await reseller.post("/sites", json=body(theirs, subdomain="www"))) == RESERVED


async def test_a_mapping_from_before_keeps_working_until_the_site_is_deleted(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner_connection.execute(
        "insert into site_domains (brand_ref, site_ref, domain, created_at) values (1, $1, $2, now())",
        ref,
        "login.northwind.example",
    )
    assert names_of(await get_site(owner, ref)) == ["a.example", "login.northwind.example"]
    await owner.delete(f"/sites/{ref}")
    restored = await owner.post(f"/sites/{ref}/restore")
    assert (restored.status_code, names_of(restored.json()["site"])) == (200, ["a.example"])


async def test_a_system_owner_restores_a_site_with_its_reserved_name(
    system_owner: httpx.AsyncClient, user_ref: int
) -> None:
    ref = (await create_site(system_owner, user_ref, "login.northwind.example"))["ref"]
    headers = {"X-Brand-Ref": str(OWN_BRAND)}
    await system_owner.delete(f"/sites/{ref}", headers=headers)
    restored = await system_owner.post(f"/sites/{ref}/restore", headers=headers)
    assert names_of(restored.json()["site"]) == ["login.northwind.example"]
