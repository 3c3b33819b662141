"""Failed authentications are counted and rate limited, per address and key, and per address."""

import asyncio

import httpx
import pytest

from sitewright.app import create_app
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support import contract
from tests.support.cast import OWN_BRAND, PASSWORD, Cast, SignedBy
from tests.support.probe import get_caller
from tests.support.responses import problem_in

LANGUAGES = f"/brands/{OWN_BRAND}/languages"


def wrongly_signed(oauth_credentials: OAuthCredentials) -> SignedBy:
    return SignedBy(
        OAuthCredentials(
            oauth_credentials.consumer_key, "wrong", oauth_credentials.access_token, oauth_credentials.access_secret
        )
    )


async def test_ten_failures_for_one_key_are_followed_by_429(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    statuses = [(await anonymous.get(LANGUAGES, auth=wrongly_signed(cast.owner))).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    right = await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner))
    assert problem_in(right) == (429, "tooManyFailures")
    assert 290 <= int(right.headers["retry-after"]) <= 300


async def test_valid_credentials_of_another_pair_are_accepted(
    anonymous: httpx.AsyncClient, cast: Cast, resources: Resources
) -> None:
    for _ in range(10):
        await anonymous.get(LANGUAGES, auth=wrongly_signed(cast.owner))
    assert (await anonymous.get(LANGUAGES, auth=SignedBy(cast.reseller))).status_code == 200
    assert (await anonymous.get(LANGUAGES, auth=cast.owner_operator)).status_code == 200
    elsewhere = httpx.ASGITransport(create_app(resources, [get_caller]), client=("192.0.2.9", 1))
    async with httpx.AsyncClient(
        transport=elsewhere, base_url="http://api.test", auth=SignedBy(cast.owner), event_hooks=contract.HOOKS
    ) as client:
        assert (await client.get("/probe/caller")).status_code == 200


async def test_a_success_clears_the_failures_of_its_pair(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    for _ in range(2):
        for _ in range(9):
            assert (await anonymous.get(LANGUAGES, auth=wrongly_signed(cast.owner))).status_code == 401
        assert (await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner))).status_code == 200


async def test_thirty_failures_of_one_address_are_followed_by_429_for_any_wrong_credentials(
    anonymous: httpx.AsyncClient, cast: Cast
) -> None:
    async def unknown(number: int) -> int:
        oauth_credentials = OAuthCredentials(f"unknown-{number}", "s", "t", "u")
        return (await anonymous.get(LANGUAGES, auth=SignedBy(oauth_credentials))).status_code

    assert [await unknown(number) for number in range(31)] == [401] * 30 + [429]
    assert (await anonymous.get(LANGUAGES, auth=("nobody", "nothing"))).status_code == 429
    assert (await anonymous.get(LANGUAGES, auth=wrongly_signed(cast.owner))).status_code == 429
    assert (await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner))).status_code == 200
    assert (await anonymous.get(LANGUAGES, auth=cast.owner_operator)).status_code == 200


async def test_concurrent_basic_failures_count(anonymous: httpx.AsyncClient) -> None:
    wrong = [anonymous.get(LANGUAGES, auth=("brand-admin", f"wrong {number}")) for number in range(30)]
    statuses = sorted(response.status_code for response in await asyncio.gather(*wrong))
    assert statuses == [401] * 10 + [429] * 20
    assert (await anonymous.get(LANGUAGES, auth=("brand-admin", PASSWORD))).status_code == 429


async def test_many_valid_concurrent_requests_are_all_accepted(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    calls = [anonymous.get(LANGUAGES, auth=cast.owner_operator) for _ in range(30)]
    assert {response.status_code for response in await asyncio.gather(*calls)} == {200}


async def test_a_replayed_request_does_not_clear_the_failures(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    captured = SignedBy(cast.owner, nonce="captured")
    assert (await anonymous.get(LANGUAGES, auth=captured)).status_code == 200
    for _ in range(2):
        for _ in range(5):
            await anonymous.get(LANGUAGES, auth=wrongly_signed(cast.owner))
        await anonymous.get(LANGUAGES, auth=captured)
    assert (await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner))).status_code == 429


async def test_failures_expire_after_the_window(
    anonymous: httpx.AsyncClient, cast: Cast, owner_connection: "object"
) -> None:
    for _ in range(10):
        await anonymous.get(LANGUAGES, auth=wrongly_signed(cast.owner))
    await owner_connection.execute("update authentication_failures set failed_at = failed_at - interval '301 s'")  # type: ignore[attr-defined]
    assert (await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner))).status_code == 200


@pytest.mark.parametrize("kind", ["none", "malformed", "content type", "replayed"])
async def test_requests_that_do_not_count_as_failures(anonymous: httpx.AsyncClient, cast: Cast, kind: str) -> None:
    replayed = SignedBy(cast.owner, nonce="again")
    calls = {
        "none": lambda: anonymous.get(LANGUAGES),
        "malformed": lambda: anonymous.get(LANGUAGES, headers={"Authorization": "OAuth ???"}),
        "content type": lambda: anonymous.put(
            "/probe/https", auth=SignedBy(cast.owner), content=b"x", headers={"Content-Type": "text/plain"}
        ),
        "replayed": lambda: anonymous.get(LANGUAGES, auth=replayed),
    }
    responses = [await calls[kind]() for _ in range(12)]
    assert [response.status_code for response in responses[1:]] == [401] * 11
    assert (await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner))).status_code == 200
