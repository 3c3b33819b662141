"""Idempotency-Key: of many copies of a POST one does the work, and all get its response."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.housekeeping import SCHEDULES
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from tests.support import contract
from tests.support.cast import Cast, SignedBy
from tests.support.http_clients import http_client
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

BODY = {"userRef": 1, "firstName": "Ann"}


@pytest.fixture
def written(owner_connection: OwnerConnection) -> Any:
    """How often the work was done."""

    async def count() -> int:
        number: int = await owner_connection.fetchval("select count(*) from audit_entries where actor = 'probe'")
        return number

    return count


async def post(client: httpx.AsyncClient, key: str, body: Any = BODY, **options: Any) -> httpx.Response:
    path = options.pop("path", "/probe/write-and-fail")
    return await client.post(path, json=body, headers={"Idempotency-Key": key}, **options)


async def test_a_repeated_request_gets_the_first_response(owner: httpx.AsyncClient, written: Any) -> None:
    first, second = await post(owner, "k"), await post(owner, "k")
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.content == first.content
    assert second.headers["content-type"] == first.headers["content-type"]
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert await written() == 1


async def test_a_stored_response_is_replayed_to_concurrent_requests(owner: httpx.AsyncClient, written: Any) -> None:
    await post(owner, "kept")
    responses = await asyncio.gather(*(post(owner, "kept") for _ in range(20)))
    assert {response.status_code for response in responses} == {200}
    assert await written() == 1


async def test_one_of_50_concurrent_requests_does_the_work(
    base_url: str, cast: Cast, clean: None, written: Any
) -> None:
    async with http_client(base_url, auth=SignedBy(cast.owner), event_hooks=contract.HOOKS) as client:
        responses = await asyncio.gather(*(post(client, "together") for _ in range(50)))
    assert await written() == 1
    assert {response.status_code for response in responses} <= {200, 409}
    assert sum("idempotency-replayed" not in response.headers and response.is_success for response in responses) == 1
    codes = [response.json()["code"] for response in responses if response.status_code == 409]
    assert set(codes) <= {"idempotencyInProgress"}


@pytest.mark.parametrize(
    "other", [{"body": BODY | {"firstName": "Eve"}}, {"path": "/probe/write-and-fail?x=1"}, {"path": "/probe"}]
)
async def test_the_key_of_another_request_is_409(owner: httpx.AsyncClient, written: Any, other: Any) -> None:
    await post(owner, "k")
    response = await post(owner, "k", **other)
    assert problem_in(response) == (409, "idempotencyMismatch")
    assert await written() == 1


async def test_an_error_frees_the_key(owner: httpx.AsyncClient, written: Any) -> None:
    assert (await post(owner, "k", {})).status_code == 400
    assert (await post(owner, "k")).status_code == 200
    assert await written() == 1


async def test_each_caller_has_its_own_keys(
    owner: httpx.AsyncClient, owner_operator: httpx.AsyncClient, other_brand: httpx.AsyncClient, written: Any
) -> None:
    for caller in (owner, owner_operator, other_brand):
        assert "idempotency-replayed" not in (await post(caller, "shared")).headers
    assert await written() == 3


async def test_oauth_parameters_in_the_query_do_not_make_it_another_request(
    anonymous: httpx.AsyncClient, cast: Cast, written: Any
) -> None:
    responses = [await post(anonymous, "k", auth=SignedBy(cast.owner, signature_type="QUERY")) for _ in range(2)]
    assert [response.status_code for response in responses] == [200, 200]
    assert await written() == 1


@pytest.mark.parametrize("key", ["", "k" * 256])
async def test_a_key_holds_1_to_255_characters(owner: httpx.AsyncClient, written: Any, key: str) -> None:
    response = await post(owner, key)
    assert problem_in(response) == (400, "invalidIdempotencyKey")
    assert await written() == 0
    assert (await post(owner, "k" * 255)).status_code == 200


async def test_a_response_is_stored_for_24_hours(owner: httpx.AsyncClient, resources: Resources, written: Any) -> None:
    await post(owner, "k")
    clock.shift(24 * 3600 - 60)
    assert "idempotency-replayed" in (await post(owner, "k")).headers
    clock.shift(24 * 3600 + 60)
    assert "idempotency-replayed" not in (await post(owner, "k", BODY | {"firstName": "New"})).headers
    assert await written() == 2


async def test_old_responses_are_pruned(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await post(owner, "old")
    clock.shift(25 * 3600)
    await post(owner, "new")
    for schedule in SCHEDULES:
        await schedule.run(resources)
    assert await owner_connection.fetchval("select string_agg(key, ' ') from idempotent_answers") == "new"


async def test_stored_responses_are_encrypted(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await post(owner, "k", BODY | {"firstName": "Confidential"})
    kept = await owner_connection.fetchval("select answer from idempotent_answers")
    assert b"Confidential" not in kept


async def test_passwords_cannot_be_guessed_from_the_digest_of_a_request(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A keyed digest, which cannot be computed without the master key."""
    digests = []
    for key in ("k", "l"):
        await post(owner, key)
        digests.append(await owner_connection.fetchval("select digest from idempotent_answers where key = $1", key))
        monkeypatch.setattr(Sealer, "derivations", lambda *_: ["another master key"])
    assert digests[0] != digests[1]


async def test_a_new_master_key_changes_no_response(
    owner: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, written: Any
) -> None:
    monkeypatch.setattr(Sealer, "derivations", lambda *_: ["old"])
    await post(owner, "k")
    monkeypatch.setattr(Sealer, "derivations", lambda *_: ["new", "old"])
    assert "idempotency-replayed" in (await post(owner, "k")).headers
    assert await written() == 1


async def test_other_methods_ignore_the_key(owner: httpx.AsyncClient) -> None:
    for _ in range(2):
        response = await owner.get("/probe", headers={"Idempotency-Key": "k"})
        assert (response.status_code, "idempotency-replayed" in response.headers) == (200, False)
