"""Stored idempotent responses about a user are deleted when the user is anonymized."""

from typing import Any

import httpx
import pytest

from tests.accounts.users.shapes import get_user, ref_of_new_user
from tests.support.customers import new_user
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def post(client: httpx.AsyncClient, path: str, sent: Any = None) -> httpx.Response:
    return await client.post(path, json=sent, headers={"Idempotency-Key": "once"})


async def test_a_replayed_request_does_not_restore_an_anonymized_user(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    sent = new_user(username="zebedee")
    ref = (await post(owner, "/users", sent)).json()["accountHolder"]["ref"]
    await owner.post(f"/users/{ref}/anonymise")
    assert problem_in(await post(owner, "/users", sent)) == (409, "idempotencyForgotten")
    assert await owner_connection.fetchval("select count(*) from idempotent_answers where answer is not null") == 0
    assert (await owner.get("/users", params={"username": "zebedee"})).json()["count"] == "0"


async def test_stored_responses_about_others_are_kept(owner: httpx.AsyncClient) -> None:
    sent = new_user(username="bystander")
    first = await post(owner, "/users", sent)
    await owner.post(f"/users/{await ref_of_new_user(owner)}/anonymise")
    assert (await post(owner, "/users", sent)).content == first.content


@pytest.mark.parametrize("call", ["auto-login", "suspend"])
async def test_stored_responses_of_endpoints_of_the_user_are_deleted(owner: httpx.AsyncClient, call: str) -> None:
    ref = await ref_of_new_user(owner)
    assert (await post(owner, f"/users/{ref}/{call}")).is_success
    await owner.post(f"/users/{ref}/anonymise")
    assert problem_in(await post(owner, f"/users/{ref}/{call}")) == (409, "idempotencyForgotten")


async def test_anonymizing_may_be_repeated_with_its_key(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    for _ in range(2):
        assert (await post(owner, f"/users/{ref}/anonymise")).status_code == 204
    assert (await get_user(owner, ref))["firstName"] == "anonymised"
