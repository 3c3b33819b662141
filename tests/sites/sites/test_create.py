"""POST /sites."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.sites.shapes import CREATED, GOT, all_rows, create_site, get_site, ref_of_new_site, reseller_user
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.eventually import eventually
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_user

OTHER_BRANDS_TEMPLATE = "update templates set brand_ref = 2 where ref = 4"


def body(user_ref: int, **changes: Any) -> dict[str, Any]:
    """None leaves a field out."""
    fields = {"brandRef": OWN_BRAND, "accountHolderRef": user_ref, "domain": "www.joes.example"} | changes
    return {name: value for name, value in fields.items() if value is not None}


async def test_every_field_has_its_type(owner: httpx.AsyncClient, user_ref: int) -> None:
    site = await create_site(owner, user_ref, "www.joes.example")
    assert_shape(site, CREATED)
    [domain] = site["domains"]
    assert domain == site["primaryDomain"] == {"ref": domain["ref"], "domainName": "www.joes.example"}
    assert site["version"] == "8"
    shown = await get_site(owner, site["ref"])
    assert_shape(shown, GOT)
    assert shown == site | {"version": 8, "domains": {str(domain["ref"]): "www.joes.example"}}


async def test_defaults_of_omitted_fields(owner: httpx.AsyncClient, user_ref: int) -> None:
    site = await create_site(owner, user_ref, "www.joes.example")
    ref = site["ref"]
    wanted = {
        "accountHolderRef": user_ref, "brandRef": OWN_BRAND, "siteType": "responsive", "activationStatus": None,
        "live": False, "previouslyPublished": 0, "lastPublish": None, "enabled": True, "ready": True,
        "redirectToPrimary": False, "primaryUrl": "http://www.joes.example", "databaseSchema": f"site_{ref}",
        "databaseRead": 1, "databaseReadUser": f"site_{ref}_r",
        "databaseWrite": 1, "databaseWriteUser": f"site_{ref}_w",
    }  # fmt: skip
    assert {name: site[name] for name in wanted} == wanted


async def test_sent_fields_are_stored(owner: httpx.AsyncClient, user_ref: int) -> None:
    more = {"templateRef": 2, "activationStatus": "inactive", "siteType": "desktop"}
    site = await create_site(owner, user_ref, "WWW.Joes.Example.", **more)
    assert (site["template"], site["activationStatus"], site["siteType"]) == (2, "inactive", "desktop")
    assert site["primaryUrl"] == "http://www.joes.example"


async def test_a_site_gets_the_brands_default_template_or_none(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    default = await owner_connection.fetchval("select default_template_ref from brands where brand_ref = 1")
    assert (await create_site(owner, user_ref, "a.example"))["template"] == default is not None
    await owner_connection.execute("update brands set default_template_ref = null")
    assert (await create_site(owner, user_ref, "b.example"))["template"] is None


async def test_a_subdomain_is_put_before_the_brands_domain(owner: httpx.AsyncClient, user_ref: int) -> None:
    site = await create_site(owner, user_ref, subdomain="Joes-Bakery")
    assert site["primaryDomain"]["domainName"] == "joes-bakery.northwind.example"
    deeper = await create_site(owner, user_ref, subdomain="www.bücher", domain=None)
    assert deeper["primaryDomain"]["domainName"] == "www.xn--bcher-kva.northwind.example"


async def test_every_site_has_an_empty_profile_of_its_own(owner: httpx.AsyncClient, user_ref: int) -> None:
    sites = [await create_site(owner, user_ref, f"{name}.example") for name in "ab"]
    first, second = (site["profileRef"] for site in sites)
    assert first != second
    profile = (await owner.get(f"/users/{user_ref}/profiles/{first}")).json()["profile"]
    assert profile == {"ref": first, "userRef": user_ref, "fields": []}


async def test_consistent_types(owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int) -> None:
    await owner_connection.execute("update brands set consistent_types = true")
    assert (await create_site(owner, user_ref, "a.example"))["version"] == 8


async def test_sites_are_not_limited_by_the_package(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, package_ref=1)
    for number in range(5):
        await create_site(owner, user_ref, f"site{number}.example")


async def test_numbers_and_forms_are_taken_as_text(owner: httpx.AsyncClient, user_ref: int) -> None:
    sent = {"brandRef": "1", "accountHolderRef": str(user_ref), "domain": "a.example", "templateRef": "1"}
    response = await owner.post("/sites", data=sent)
    assert (response.status_code, response.json()["site"]["template"]) == (201, 1)


async def test_it_is_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    row = await owner_connection.fetchrow("select * from audit_entries where subject = 'site'")
    assert row is not None
    assert (row["action"], row["subject_ref"], row["brand_ref"]) == ("create", ref, OWN_BRAND)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"domain": None}, "invalidDomain"),
    ({"domain": ""}, "invalidDomain"),
    ({"domain": 7}, "invalidDomain"),
    ({"domain": "a" * 256}, "invalidDomain"),
    ({"domain": "1.2.3.4"}, "invalidDomain"),
    ({"domain": "http://joes.example"}, "invalidDomain"),
    ({"domain": "joes.example:80"}, "invalidDomain"),
    ({"domain": "*.joes.example"}, "invalidDomain"),
    ({"domain": "nul\0.example"}, "invalidDomain"),
    ({"subdomain": "joe"}, "invalidDomain"),
    ({"domain": None, "subdomain": ""}, "invalidDomain"),
    ({"domain": None, "subdomain": "."}, "invalidDomain"),
    ({"domain": None, "subdomain": "under_score"}, "invalidDomain"),
    ({"domain": None, "subdomain": "a" * 250}, "invalidDomain"),
    ({"accountHolderRef": None}, "invalidAccountHolderRef"),
    ({"accountHolderRef": 999_999}, "invalidAccountHolderRef"),
    ({"accountHolderRef": "x"}, "invalidAccountHolderRef"),
    ({"accountHolderRef": 2**63}, "invalidAccountHolderRef"),
    ({"brandRef": None}, "invalidBrandRef"),
    ({"templateRef": 999_999}, "invalidTemplateRef"),
    ({"templateRef": 0}, "invalidTemplateRef"),
    ({"templateRef": 4}, "invalidTemplateRef"),
    ({"activationStatus": "1"}, "invalidActivationStatus"),
    ({"siteType": "mobile"}, "invalidSiteType"),
]


@pytest.mark.parametrize(("changes", "code"), WRONG)
async def test_invalid_requests_change_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int, changes: dict[str, Any], code: str
) -> None:
    await owner_connection.execute(OTHER_BRANDS_TEMPLATE)
    before = await all_rows(owner_connection)
    response = await owner.post("/sites", json=body(user_ref, **changes))
    assert problem_in(response) == (400, code)
    assert await all_rows(owner_connection) == before


async def test_every_failing_field_is_named_at_once(owner: httpx.AsyncClient) -> None:
    wrong = {"accountHolderRef": 999_999, "domain": "x", "templateRef": 999_999, "siteType": "x"}
    response = await owner.post("/sites", json={"brandRef": OWN_BRAND, **wrong, "activationStatus": 1})
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == {*wrong, "activationStatus"}
    nothing = await owner.post("/sites")
    assert set(nothing.json()["errors"]) == {"accountHolderRef", "brandRef", "domain"}


async def test_a_subdomain_needs_a_brand_with_a_domain(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    await owner_connection.execute("update brands set domain = null where brand_ref = 1")
    response = await owner.post("/sites", json=body(user_ref, domain=None, subdomain="joe"))
    assert problem_in(response) == (400, "invalidDomain")


async def test_an_account_holder_must_be_the_callers(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    own = await reseller_user(owner_connection, resources, RESELLER_REF)
    others = [
        await reseller_user(owner_connection, resources, 8),
        await make_user(owner_connection, resources),
        await make_user(owner_connection, resources, OTHER_BRAND),
    ]
    for user_ref in others:
        assert problem_in(await reseller.post("/sites", json=body(user_ref))) == (400, "invalidAccountHolderRef")
    assert problem_in(await owner.post("/sites", json=body(others[-1]))) == (400, "invalidAccountHolderRef")
    assert (await create_site(reseller, own, "a.example"))["accountHolderRef"] == own


async def test_a_deleted_account_holder_gets_no_site(owner: httpx.AsyncClient, user_ref: int) -> None:
    await owner.delete(f"/users/{user_ref}")
    assert problem_in(await owner.post("/sites", json=body(user_ref))) == (400, "invalidAccountHolderRef")


async def test_an_account_holder_that_is_deleted_at_the_same_moment_gets_no_site(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    """The request is validated before the deletion commits."""

    async def is_waiting() -> bool:
        waiting = "select exists (select from pg_locks where not granted)"
        return bool(await owner_connection.fetchval(waiting)) or creating.done()

    async with owner_connection.transaction():
        await owner_connection.execute("update users set deleted_at = now() where ref = $1", user_ref)
        creating = asyncio.create_task(owner.post("/sites", json=body(user_ref)))
        await eventually(is_waiting)
    assert problem_in(await creating) == (400, "invalidAccountHolderRef")
    assert await owner_connection.fetchval("select count(*) from sites where user_ref = $1", user_ref) == 0


async def test_the_brand_must_be_the_callers(
    owner: httpx.AsyncClient, system_owner: httpx.AsyncClient, user_ref: int
) -> None:
    assert problem_in(await owner.post("/sites", json=body(user_ref, brandRef=2))) == (403, "brandMismatch")
    assert problem_in(await system_owner.post("/sites", json=body(user_ref, brandRef=2))) == (
        400,
        "invalidAccountHolderRef",
    )
    assert problem_in(await system_owner.post("/sites", json=body(user_ref, brandRef=999))) == (400, "invalidBrandRef")
    assert (await system_owner.post("/sites", json=body(user_ref))).status_code == 201


async def test_creating_is_idempotent_by_key(owner: httpx.AsyncClient, user_ref: int) -> None:
    key = {"Idempotency-Key": "once"}
    first, second = [await owner.post("/sites", json=body(user_ref), headers=key) for _ in range(2)]
    assert (first.status_code, second.status_code, first.json()) == (201, 201, second.json())
