"""`--demo` is idempotent, whatever was changed between two runs."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import msgspec

from sitewright.demo.service import demo_file, ensure_demo
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support.cast import OWN_BRAND, TESTER, SignedBy
from tests.support.users import OwnerConnection


def read_demo(resources: Resources) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(demo_file(resources.settings)).read_text())
    return document


async def test_ensuring_the_demo_again_changes_nothing(
    resources: Resources,
    database_url: str,
    owner_connection: OwnerConnection,
    clean: None,
) -> None:
    async def everything() -> list[Any]:
        tables = ("brands", "languages", "brand_languages", "api_credentials", "operators", "audit_entries")
        more = (
            "packages",
            "package_prices",
            "domain_products",
            "templates",
            "currencies",
            "template_tags",
            "users",
            "sites",
            "account_domains",
            "account_packages",
            "charges",
        )
        return [await owner_connection.fetch(f"select * from {table} order by 1, 2") for table in tables + more]

    await ensure_demo(resources, database_url)
    first, rows = read_demo(resources), await everything()
    await ensure_demo(resources, database_url)
    assert read_demo(resources) == first
    assert await everything() == rows


async def test_demo_json_describes_the_catalogue(
    resources: Resources, database_url: str, owner: httpx.AsyncClient
) -> None:
    await ensure_demo(resources, database_url)
    freemium, trial = read_demo(resources)["brands"]
    assert freemium["packages"] == {"default": 1, "trial": None, "starter": 2, "pro": 3, "domain": 4}
    assert trial["packages"] == {"default": 6, "trial": 7, "starter": 8, "pro": 9, "domain": 10}
    assert (freemium["languages"], trial["languages"]) == (["en", "es", "de"], ["en", "fr", "pt"])
    assert (freemium["model"], trial["domain"]) == ("freemium", "southgate.example")
    for name, value in freemium["templates"].items():
        assert (await owner.get("/v2/templates", params={name: value})).json()["templates"] != []


async def test_revoked_credentials_are_recreated(
    resources: Resources, database_url: str, anonymous: httpx.AsyncClient
) -> None:
    await ensure_demo(resources, database_url)
    brand = read_demo(resources)["brands"][0]
    callers: list[Any] = [
        (brand["basic"]["username"], brand["basic"]["password"]),
        SignedBy(msgspec.convert(brand["oauth"], OAuthCredentials)),
    ]
    for caller in callers:
        named = (await anonymous.get("/probe/caller", auth=caller)).json()["caller"]
        kind = "operator" if named.startswith("operator") else "api"
        async with resources.database.transaction(OWN_BRAND) as tx:
            await credentials.revoke(tx, TESTER, kind=kind, ref=int(named.split(":")[1]))
        assert (await anonymous.get("/probe/caller", auth=caller)).status_code == 401
    await ensure_demo(resources, database_url)
    for caller in callers:
        assert (await anonymous.get("/probe/caller", auth=caller)).status_code == 200


async def test_concurrent_runs_create_everything_once(resources: Resources, database_url: str, clean: None) -> None:
    await asyncio.gather(*(ensure_demo(resources, database_url) for _ in range(3)))
    async with resources.database.transaction(None) as tx:
        assert await tx.fetchval("select count(*) from operators where username = 'owner'") == 1


async def test_changes_made_by_an_operator_are_kept(
    resources: Resources, database_url: str, owner_connection: OwnerConnection, clean: None
) -> None:
    await ensure_demo(resources, database_url)
    await owner_connection.execute("update brands set time_zone = 'Europe/Berlin' where brand_ref = 1")
    await owner_connection.execute("insert into brands (brand_ref, name) values (77, 'Third')")
    await ensure_demo(resources, database_url)
    kept = await owner_connection.fetch("select time_zone from brands where brand_ref in (1, 77) order by brand_ref")
    assert [row["time_zone"] for row in kept] == ["Europe/Berlin", "UTC"]


async def test_each_brand_has_an_account_holder(
    resources: Resources, database_url: str, owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    await ensure_demo(resources, database_url)
    for client, brand in zip((owner, other_brand), read_demo(resources)["brands"], strict=True):
        user_ref = brand["demoUser"]["userRef"]
        shown = (await client.get(f"/users/{user_ref}")).json()["accountHolder"]
        assert (shown["username"], shown["brandRef"]) == (brand["demoUser"]["username"], brand["brandRef"])
        await client.delete(f"/users/{user_ref}")
    await ensure_demo(resources, database_url)
    assert read_demo(resources)["brands"][0]["demoUser"]["userRef"] > user_ref


async def test_each_account_holder_has_a_site(
    resources: Resources, database_url: str, owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    await ensure_demo(resources, database_url)
    first = read_demo(resources)["brands"]
    for client, brand in zip((owner, other_brand), first, strict=True):
        site = (await client.get(f"/sites/{brand['demoUser']['siteRef']}")).json()["site"]
        assert site["primaryUrl"] == f"http://demo.{brand['domain']}"
        assert site["accountHolderRef"] == brand["demoUser"]["userRef"]
    await owner.delete(f"/sites/{first[0]['demoUser']['siteRef']}")
    await other_brand.delete(f"/users/{first[1]['demoUser']['userRef']}")
    await ensure_demo(resources, database_url)
    again = read_demo(resources)["brands"]
    await ensure_demo(resources, database_url)
    assert read_demo(resources)["brands"] == again
    for client, brand in zip((owner, other_brand), again, strict=True):
        assert (await client.get(f"/sites/{brand['demoUser']['siteRef']}")).status_code == 200


async def test_the_demo_user_has_an_active_domain(
    resources: Resources, database_url: str, owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    await ensure_demo(resources, database_url)
    for client, brand in zip((owner, other_brand), read_demo(resources)["brands"], strict=True):
        user = brand["demoUser"]
        received = (await client.get(f"/account-domains/{user['accountDomainRef']}")).json()["accountDomain"]
        assert (received["active"], received["accountHolder"]["ref"]) == (1, user["userRef"])
        [listed] = (await client.get(f"/users/{user['userRef']}/account-domains")).json()["accountDomains"]
        assert listed["accountPackage"]["package"]["ref"] == brand["packages"]["domain"]


async def test_a_deleted_domain_is_replaced(resources: Resources, database_url: str, owner: httpx.AsyncClient) -> None:
    await ensure_demo(resources, database_url)
    ref = read_demo(resources)["brands"][0]["demoUser"]["accountDomainRef"]
    assert (await owner.delete(f"/account-domains/{ref}")).status_code == 204
    await ensure_demo(resources, database_url)
    other = read_demo(resources)["brands"][0]["demoUser"]["accountDomainRef"]
    assert other != ref
    assert (await owner.get(f"/account-domains/{other}")).json()["accountDomain"]["active"] == 1
