"""`POST /users/:userRef/auto-login`."""

import json
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, RESELLER_REF
from tests.support.responses import problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, make_user


@pytest.mark.parametrize("body", [None, {}, {"siteRef": None}])
async def test_a_hash_is_given_with_and_without_a_body(owner: httpx.AsyncClient, user: int, body: Any) -> None:
    response = await owner.post(f"/users/{user}/auto-login", json=body)
    assert response.status_code == 200
    assert list(response.json()) == ["hash", "flowUrl"]
    assert len(response.json()["hash"]) >= 43


async def test_hashes_are_unique_and_stored_as_digests(
    owner: httpx.AsyncClient, user: int, owner_connection: OwnerConnection
) -> None:
    hashes = {(await owner.post(f"/users/{user}/auto-login")).json()["hash"] for _ in range(5)}
    assert len(hashes) == 5
    rows = await owner_connection.fetch("select t::text from one_time_tokens t")
    assert len(rows) == 5
    assert not any(each.partition("-")[2] in str(row) for each in hashes for row in rows)


@pytest.mark.parametrize("site_ref", [1, "1", 0, "abc", 1.5])
async def test_a_site_that_is_not_the_users_is_refused(owner: httpx.AsyncClient, user: int, site_ref: Any) -> None:
    response = await owner.post(f"/users/{user}/auto-login", json={"siteRef": site_ref})
    assert problem_in(response) == (400, "invalidSiteRef")


async def test_the_site_is_the_requested_or_the_first_one(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    gone = await make_site(owner_connection, resources, user_ref=user, deleted_at=clock.now())
    first, second = [await make_site(owner_connection, resources, user_ref=user) for _ in range(2)]
    for body in ({}, {"siteRef": second}):
        assert (await owner.post(f"/users/{user}/auto-login", json=body)).status_code == 200
    assert (await owner.post(f"/users/{user}/auto-login", json={"siteRef": gone})).status_code == 400
    rows = await owner_connection.fetch("select site_ref from one_time_tokens order by created_at, site_ref")
    assert [row["site_ref"] for row in rows] == [first, second]


@pytest.mark.parametrize("brand_ref", [1, OTHER_BRAND])
async def test_another_users_site_is_no_site_of_this_one(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int, brand_ref: int
) -> None:
    other = await make_user(owner_connection, resources, brand_ref, username="bea")
    site = await make_site(owner_connection, resources, brand_ref, user_ref=other)
    response = await owner.post(f"/users/{user}/auto-login", json={"siteRef": site})
    assert problem_in(response) == (400, "invalidSiteRef")


@pytest.mark.parametrize(
    ("column", "status", "code"),
    [
        ("suspended_at", 403, "userSuspended"),
        ("anonymised_at", 409, "anonymised"),
        ("deleted_at", 404, "userNotFound"),
    ],
)
async def test_users_who_cannot_log_in_get_no_hash(
    owner: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    column: str,
    status: int,
    code: str,
) -> None:
    state: dict[str, Any] = {column: clock.now()}
    user = await make_user(owner_connection, resources, **state)
    response = await owner.post(f"/users/{user}/auto-login")
    assert problem_in(response) == (status, code)
    assert await owner_connection.fetchval("select count(*) from one_time_tokens") == 0


async def test_the_body_is_validated_before_the_state(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user = await make_user(owner_connection, resources, suspended_at=clock.now())
    assert (await owner.post(f"/users/{user}/auto-login", json={"siteRef": "x"})).status_code == 400
    assert (await owner.post("/users/999999/auto-login", json={"siteRef": "x"})).status_code == 404


async def test_another_brands_user_is_not_found(other_brand: httpx.AsyncClient, user: int) -> None:
    assert (await other_brand.post(f"/users/{user}/auto-login")).json()["code"] == "userNotFound"


async def test_a_reseller_logs_in_its_own_users_alone(
    reseller: httpx.AsyncClient, user: int, resources: Resources, owner_connection: OwnerConnection
) -> None:
    own = await make_user(owner_connection, resources, username="bea", reseller_ref=RESELLER_REF)
    assert (await reseller.post(f"/users/{own}/auto-login")).status_code == 200
    assert (await reseller.post(f"/users/{user}/auto-login")).status_code == 404


async def test_a_system_owner_names_the_brand(
    system_owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user = await make_user(owner_connection, resources, OTHER_BRAND)
    response = await system_owner.post(f"/users/{user}/auto-login", headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert response.json()["hash"].startswith(f"{OTHER_BRAND}-")


async def test_it_is_audited_without_the_hash(
    owner: httpx.AsyncClient, user: int, owner_connection: OwnerConnection
) -> None:
    response = await owner.post(f"/users/{user}/auto-login", headers={"X-Request-Id": "who-did-it"})
    row = await owner_connection.fetchrow("select * from audit_entries where request_id = 'who-did-it'")
    assert row is not None
    assert (row["action"], row["subject"], row["subject_ref"]) == ("auto-login", "user", user)
    assert response.json()["hash"] not in json.dumps(dict(row), default=str)


async def test_a_repeated_call_gets_the_same_hash(owner: httpx.AsyncClient, user: int) -> None:
    calls = [await owner.post(f"/users/{user}/auto-login", headers={"Idempotency-Key": "once"}) for _ in range(2)]
    assert calls[0].json() == calls[1].json()
