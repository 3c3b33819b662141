"""POST /users/:userRef/anonymise."""

import httpx

from sitewright.accounts.users.hooks import user_erased
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from tests.accounts.users.access import issue_tokens, start_session
from tests.accounts.users.shapes import OPTIONAL_TEXTS, create_user, get_user, ref_of_new_user
from tests.support.hooks import also_observed_by
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

FIELDS = ("firstName", "lastName", "username", "email", *OPTIONAL_TEXTS)
SECRET = "Zebedee"


async def full_user(owner: httpx.AsyncClient) -> int:
    texts = dict.fromkeys(OPTIONAL_TEXTS, SECRET) | {"firstName": SECRET, "lastName": SECRET, "username": SECRET}
    return await ref_of_new_user(owner, **texts, email=f"{SECRET}@mail.example", metadata={SECRET: SECRET})


async def anonymize(client: httpx.AsyncClient, ref: int) -> None:
    response = await client.post(f"/users/{ref}/anonymise")
    assert (response.status_code, response.content) == (204, b"")


async def test_every_personal_detail_is_replaced(owner: httpx.AsyncClient) -> None:
    ref = await full_user(owner)
    await anonymize(owner, ref)
    holder = await get_user(owner, ref)
    assert {name: holder[name] for name in FIELDS} == dict.fromkeys(FIELDS, "anonymised")


async def test_nothing_personal_is_left_in_the_database(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await full_user(owner)
    await owner.post(f"/users/{ref}/suspend", json={"reason": f"{SECRET} does not pay"})
    await issue_tokens(resources, ref)
    await start_session(owner_connection, ref)
    await anonymize(owner, ref)
    row = await owner_connection.fetchrow("select * from users where ref = $1", ref)
    assert row is not None
    assert SECRET.lower() not in str(tuple(row)).lower()
    assert (row["metadata"], row["password_hash"]) == ("[]", None)
    for table in ("one_time_tokens", "sessions", "mails"):
        assert await owner_connection.fetchval(f"select count(*) from {table}") == 0
    audit = await owner_connection.fetch("select * from audit_entries")
    assert SECRET.lower() not in str([tuple(each) for each in audit]).lower()


async def test_an_anonymized_user_cannot_be_edited(owner: httpx.AsyncClient) -> None:
    ref = await full_user(owner)
    await anonymize(owner, ref)
    for body in ({}, {"city": "Oslo"}, {"deleted": 0}, {"password": "another one"}):
        assert problem_in(await owner.put(f"/users/{ref}", json=body)) == (409, "anonymised")
    assert problem_in(await owner.put(f"/users/{ref}", json={"firstName": ""})) == (400, "invalidFirstName")


async def test_a_deleted_user_can_be_anonymized_but_not_restored(owner: httpx.AsyncClient) -> None:
    ref = await full_user(owner)
    await owner.delete(f"/users/{ref}")
    await anonymize(owner, ref)
    assert (await get_user(owner, ref, showDeleted=1))["firstName"] == "anonymised"
    assert problem_in(await owner.put(f"/users/{ref}", json={"deleted": 0})) == (409, "anonymised")


async def test_several_users_can_be_anonymized_and_each_one_twice(owner: httpx.AsyncClient) -> None:
    for _ in range(2):
        ref = await full_user(owner)
        await anonymize(owner, ref)
        await anonymize(owner, ref)
    await create_user(owner, username="anonymised")
    found = (await owner.get("/users", params={"username": "anonymised"})).json()
    assert found["count"] == "3"


async def test_an_anonymized_user_can_be_deleted(owner: httpx.AsyncClient) -> None:
    ref = await full_user(owner)
    await anonymize(owner, ref)
    assert (await owner.delete(f"/users/{ref}")).status_code == 204


async def test_observers_of_user_erased_are_notified(owner: httpx.AsyncClient) -> None:
    ref = await full_user(owner)
    erased: list[int] = []

    async def erase(_tx: Transaction, user_ref: int) -> None:
        erased.append(user_ref)

    with also_observed_by(user_erased, erase):
        await anonymize(owner, ref)
    assert erased == [ref]


async def test_users_of_others_are_not_found(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    ref = await full_user(owner)
    for client in (other_brand, reseller):
        assert problem_in(await client.post(f"/users/{ref}/anonymise")) == (404, "userNotFound")
    assert (await get_user(owner, ref))["firstName"] == SECRET
    await anonymize(reseller, await ref_of_new_user(reseller))


async def test_the_endpoint_does_not_exist_before_its_release(owner: httpx.AsyncClient) -> None:
    ref = await full_user(owner)
    old = await owner.post(f"/users/{ref}/anonymise", headers={"X-Api-Version": "7.66"})
    assert problem_in(old) == (404, "notInThisVersion")
    response = await owner.post(f"/users/{ref}/anonymise", headers={"X-Api-Version": "v67"})
    assert response.status_code == 204
