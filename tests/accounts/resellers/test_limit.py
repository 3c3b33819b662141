"""`accountCreateLimit`, under any number of simultaneous creates."""

import asyncio
from collections import Counter
from typing import Any

import httpx
import pytest

from tests.accounts.resellers.conftest import ClientFor
from tests.accounts.resellers.shapes import create_reseller_with_credentials, edit_reseller
from tests.accounts.users.shapes import ref_of_new_user
from tests.support.customers import new_user
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

REACHED = (403, "accountCreateLimitReached")


async def attempt(client: httpx.AsyncClient, number: int, **changes: Any) -> tuple[int, str]:
    response = await client.post("/users", json=new_user(username=f"user{number}", **changes))
    return (201, "") if response.status_code == 201 else problem_in(response)


async def users_of(owner: httpx.AsyncClient, ref: int) -> str:
    count: str = (await owner.get("/users", params={"resellerRef": ref})).json()["count"]
    return count


async def test_the_limit_holds_for_fifty_concurrent_creates(owner: httpx.AsyncClient, client_for: ClientFor) -> None:
    ref, credentials = await create_reseller_with_credentials(owner, accountCreateLimit=10)
    client = client_for(credentials)
    own = [attempt(client, number) for number in range(25)]
    brands = [attempt(owner, number, resellerRef=ref) for number in range(25, 50)]
    outcomes = Counter(await asyncio.gather(*own, *brands))
    assert outcomes == {(201, ""): 10, REACHED: 40}
    assert await users_of(owner, ref) == "10"


async def test_the_limit_holds_for_concurrent_restores(owner: httpx.AsyncClient, client_for: ClientFor) -> None:
    ref, credentials = await create_reseller_with_credentials(owner)
    client = client_for(credentials)
    refs = [await ref_of_new_user(client, username=f"gone{number}") for number in range(6)]
    for user_ref in refs:
        assert (await client.delete(f"/users/{user_ref}")).status_code == 204
    await edit_reseller(owner, ref, accountCreateLimit=3)
    back = [client.put(f"/users/{user_ref}", json={"deleted": 0}) for user_ref in refs]
    new = [client.post("/users", json=new_user(username=f"new{number}")) for number in range(6)]
    statuses = Counter(response.status_code for response in await asyncio.gather(*back, *new))
    assert statuses[200] + statuses[201] == 3
    assert statuses[403] == 9
    assert await users_of(owner, ref) == "3"


@pytest.mark.parametrize("limit", [None, 0, "0"])
async def test_null_or_zero_is_no_limit(owner: httpx.AsyncClient, client_for: ClientFor, limit: object) -> None:
    ref, credentials = await create_reseller_with_credentials(owner, accountCreateLimit=limit)
    client = client_for(credentials)
    for number in range(3):
        assert await attempt(client, number) == (201, "")
    assert await users_of(owner, ref) == "3"


async def test_the_limit_counts_all_users_that_are_not_deleted(owner: httpx.AsyncClient, client_for: ClientFor) -> None:
    ref, credentials = await create_reseller_with_credentials(owner, accountCreateLimit=2)
    client = client_for(credentials)
    first = await ref_of_new_user(owner, username="first", resellerRef=ref)
    await client.post(f"/users/{await ref_of_new_user(client, username='second')}/anonymise")
    assert await attempt(client, 3) == REACHED
    await owner.delete(f"/users/{first}")
    assert await attempt(client, 4) == (201, "")
    assert problem_in(await owner.put(f"/users/{first}", json={"deleted": 0})) == REACHED
    assert (await owner.get(f"/users/{first}", params={"showDeleted": 1})).json()["accountHolder"]["deleted"] is True


async def test_a_lower_limit_deletes_no_users(owner: httpx.AsyncClient, client_for: ClientFor) -> None:
    ref, credentials = await create_reseller_with_credentials(owner)
    client = client_for(credentials)
    user_ref = await ref_of_new_user(client, username="first")
    await ref_of_new_user(client, username="second")
    await edit_reseller(owner, ref, accountCreateLimit=1)
    assert await attempt(client, 3) == REACHED
    assert (await client.put(f"/users/{user_ref}", json={"firstName": "Beatrice", "deleted": 0})).status_code == 200
    await edit_reseller(owner, ref, accountCreateLimit=3)
    assert await attempt(client, 3) == (201, "")


async def test_other_resellers_have_their_own_limit(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner, accountCreateLimit=1)
    assert await attempt(owner, 1, resellerRef=ref) == (201, "")
    assert await attempt(owner, 2, resellerRef=ref) == REACHED
    assert await attempt(owner, 3) == (201, "")
    assert await attempt(reseller, 4) == (201, "")


async def test_a_refused_create_leaves_nothing(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref, _ = await create_reseller_with_credentials(owner, accountCreateLimit=1)
    await attempt(owner, 1, resellerRef=ref)
    counted = "select (select count(*) from users), (select count(*) from mails), (select count(*) from audit_entries)"
    before = await owner_connection.fetchrow(counted)
    assert await attempt(owner, 2, resellerRef=ref) == REACHED
    assert await owner_connection.fetchrow(counted) == before


async def test_users_of_a_deleted_reseller_can_be_restored(owner: httpx.AsyncClient) -> None:
    ref, _ = await create_reseller_with_credentials(owner, accountCreateLimit=1)
    user_ref = await ref_of_new_user(owner, username="first", resellerRef=ref)
    await owner.delete(f"/users/{user_ref}")
    await ref_of_new_user(owner, username="second", resellerRef=ref)
    await owner.delete(f"/resellers/{ref}")
    assert (await owner.put(f"/users/{user_ref}", json={"deleted": 0})).status_code == 200
