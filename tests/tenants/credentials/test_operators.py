"""Operators and invitations in the API."""

import httpx

from sitewright.kit.resources import Resources
from tests.support.operators import log_in_operator, mailed_invitation
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

KIM = {"name": "Kim Example", "email": "kim@brand.example", "role": "viewer"}


async def refs_by_name(client: httpx.AsyncClient) -> dict[str, int]:
    return {each["username"]: each["ref"] for each in (await client.get("/operators")).json()["operators"]}


async def test_operators_of_the_brand_are_listed_without_secrets(owner: httpx.AsyncClient) -> None:
    listed = (await owner.get("/operators")).json()["operators"]
    assert [(each["username"], each["role"], each["secondFactor"]) for each in listed] == [
        ("brand-admin", "brand-admin", False), ("support", "support", False), ("viewer", "viewer", False),
    ]  # fmt: skip
    assert set(listed[0]) == {"ref", "username", "name", "email", "role", "secondFactor", "created", "lastUsed"}
    one = (await owner.get(f"/operators/{listed[1]['ref']}")).json()
    assert one == {"operator": listed[1]}


async def test_a_role_is_changed_and_an_operator_removed(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient
) -> None:
    refs = await refs_by_name(owner)
    await log_in_operator(anonymous, "viewer")
    changed = await owner.put(f"/operators/{refs['viewer']}", json={"role": "support"})
    assert changed.json()["operator"]["role"] == "support"
    assert (await anonymous.get("/console")).status_code == 303
    assert problem_in(await owner.put(f"/operators/{refs['viewer']}", json={"role": "reseller"})) == (
        400,
        "invalidRole",
    )
    assert (await owner.delete(f"/operators/{refs['viewer']}")).status_code == 204
    assert problem_in(await owner.get(f"/operators/{refs['viewer']}")) == (404, "operatorNotFound")


async def test_the_last_brand_admin_stays(owner: httpx.AsyncClient, system_owner: httpx.AsyncClient) -> None:
    ref = (await refs_by_name(owner))["brand-admin"]
    assert problem_in(await owner.delete(f"/operators/{ref}")) == (409, "lastBrandAdmin")
    assert problem_in(await owner.put(f"/operators/{ref}", json={"role": "viewer"})) == (409, "lastBrandAdmin")
    headers = {"X-Brand-Ref": "1"}
    assert problem_in(await system_owner.delete(f"/operators/{ref}", headers=headers)) == (409, "lastBrandAdmin")
    assert (await owner.put(f"/operators/{ref}", json={"role": "brand-admin"})).status_code == 200


async def test_a_system_owner_is_no_operator_of_a_brand(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await owner_connection.fetchval("select ref from operators where role = 'system-owner'")
    for response in (await owner.get(f"/operators/{ref}"), await owner.delete(f"/operators/{ref}")):
        assert problem_in(response) == (404, "operatorNotFound")


async def test_invitations_are_mailed_listed_and_withdrawn(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    created = await owner.post("/operator-invitations", json=KIM)
    assert created.status_code == 201
    invitation = created.json()["invitation"]
    assert {name: invitation[name] for name in KIM} == KIM
    assert (await owner.get("/operator-invitations")).json()["invitations"] == [invitation]
    link = await mailed_invitation(owner_connection, resources)
    assert (await anonymous.get(link)).status_code == 200
    assert (await owner.delete(f"/operator-invitations/{invitation['ref']}")).status_code == 204
    assert problem_in(await owner.delete(f"/operator-invitations/{invitation['ref']}")) == (404, "invitationNotFound")
    assert (await anonymous.get(link)).status_code == 404


async def test_there_is_a_limit(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute(
        "insert into operators (brand_ref, role, username, password_hash, created_at)"
        " select 1, 'viewer', 'many-' || n, 'none', now() from generate_series(1, 497) n"
    )
    assert problem_in(await owner.post("/operator-invitations", json=KIM)) == (409, "tooManyOperators")


async def test_an_address_must_be_one(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/operator-invitations", json=KIM | {"email": "nowhere"})
    assert problem_in(response) == (400, "invalidEmail")
