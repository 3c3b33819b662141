"""Rate limits on failed authentications: the same for known and unknown names, across all processes."""

import asyncio
import re
from contextlib import AsyncExitStack

import httpx
import pytest

from sitewright.kit.auth.rate_limits import RateLimited, RateLimiter, RateLimits
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support.browsing import browser
from tests.support.cast import OWN_BRAND, PASSWORD, Cast, SignedBy
from tests.support.limits import CountingPasswords, limited
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

LANGUAGES = f"/brands/{OWN_BRAND}/languages"
KNOWN, RIGHT = "brand-admin", ("brand-admin", PASSWORD)


async def guess(client: httpx.AsyncClient, *names: str) -> list[int]:
    return [(await client.get(LANGUAGES, auth=(name, "a wrong guess"))).status_code for name in names]


def signed(key: str) -> SignedBy:
    return SignedBy(OAuthCredentials(key, "secret", "token", "secret"))


async def test_known_and_unknown_names_get_the_same_response(resources: Resources, clean: None) -> None:
    few = limited(resources, failures_per_key=2)
    statuses = []
    for address, name in (("192.0.2.1", KNOWN), ("192.0.2.2", "nobody")):
        async with browser(few, address) as client:
            statuses.append(await guess(client, *[name] * 4))
    assert statuses == [[401, 401, 429, 429]] * 2


async def test_one_address_has_one_budget_for_all_names(resources: Resources, clean: None) -> None:
    async with browser(limited(resources, failures_of_unknown_keys=3)) as client:
        assert await guess(client, "nobody", KNOWN, "no one") == [401] * 3
        responses = [await client.get(LANGUAGES, auth=(name, "wrong")) for name in (KNOWN, "nobody", "new")]
        assert [problem_in(response) for response in responses] == [(429, "tooManyFailures")] * 3
        assert {int(response.headers["retry-after"]) // 10 for response in responses} <= {29, 30}
        assert (await client.get(LANGUAGES, auth=RIGHT)).status_code == 200, "right ones of another pair are let in"
        assert (await client.get(LANGUAGES, auth=signed("unknown"))).status_code == 429


async def test_known_and_unknown_keys_get_the_same_response(resources: Resources, cast: Cast, clean: None) -> None:
    wrong = SignedBy(OAuthCredentials(cast.owner.consumer_key, "wrong", "token", "secret"))
    few = limited(resources, failures_per_key=2, failures_of_unknown_keys=3)
    for address, key in (("192.0.2.1", wrong), ("192.0.2.2", signed("unknown"))):
        async with browser(few, address) as client:
            assert [(await client.get(LANGUAGES, auth=key)).status_code for _ in range(3)] == [401, 401, 429]
    async with browser(few) as client:
        assert [(await client.get(LANGUAGES, auth=signed(str(n)))).status_code for n in range(3)] == [401] * 3
        for key in (wrong, signed("unknown")):
            assert (await client.get(LANGUAGES, auth=key)).status_code == 429
        assert (await client.get(LANGUAGES, auth=SignedBy(cast.owner))).status_code == 200


async def test_far_beyond_the_budget_only_names_that_succeeded_before_are_verified(
    resources: Resources, clean: None
) -> None:
    counting = CountingPasswords()
    few = limited(resources, counting, failures_of_unknown_keys=1, failures_per_key=5, remember_password_seconds=0)
    async with browser(few, "192.0.2.1") as proven, browser(few, "192.0.2.2") as unproven:
        assert (await proven.get(LANGUAGES, auth=RIGHT)).status_code == 200
        for client in (proven, unproven):
            await guess(client, *(f"name {number}" for number in range(10)))
        counting.verifications = 0
        assert await guess(unproven, "another", KNOWN) == [429, 429]
        assert (await unproven.get(LANGUAGES, auth=RIGHT)).status_code == 429
        assert counting.verifications == 0
        assert (await proven.get(LANGUAGES, auth=RIGHT)).status_code == 200
    await counting.close()


async def test_far_beyond_the_budget_a_large_signed_form_is_not_read(resources: Resources, clean: None) -> None:
    headers = {"Authorization": "OAuth malformed", "Content-Type": "application/x-www-form-urlencoded"}
    async with browser(limited(resources, failures_of_unknown_keys=1)) as client:
        large, small = "a=" + "%25" * 30_000, "a=%25"
        assert (await client.post("/users", content=large, headers=headers)).status_code == 401
        await guess(client, *(f"name {number}" for number in range(10)))
        responses = [await client.post("/users", content=form, headers=headers) for form in (large, small)]
    assert [response.status_code for response in responses] == [429, 401]
    assert int(responses[0].headers["retry-after"]) >= 1


@pytest.mark.parametrize("name", [KNOWN, "nobody"])
async def test_a_budget_holds_for_several_processes_together(resources: Resources, clean: None, name: str) -> None:
    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(browser(limited(resources))) for _ in range(4)]
        calls = [client.get(LANGUAGES, auth=(name, f"{n}")) for n in range(7) for client in processes]
        statuses = sorted(response.status_code for response in await asyncio.gather(*calls))
    assert statuses == [401] * 10 + [429] * 18


async def test_valid_requests_verified_by_several_processes_at_once_are_all_accepted(
    resources: Resources, clean: None
) -> None:
    """While they are verified they count against the limit, so some of them have to wait for others."""
    async with AsyncExitStack() as stack:
        few = [limited(resources, failures_per_key=2) for _ in range(4)]
        processes = [await stack.enter_async_context(browser(each)) for each in few]
        calls = [client.get(LANGUAGES, auth=RIGHT) for _ in range(2) for client in processes]
        assert {response.status_code for response in await asyncio.gather(*calls)} == {200}


@pytest.mark.parametrize("ends", ["right", "wrong"])
async def test_an_attempt_waits_for_one_that_may_spend_the_budget(resources: Resources, clean: None, ends: str) -> None:
    limits = RateLimits.of_api(limited(resources, failures_per_key=1).settings)
    limiter = RateLimiter(limits, resources.sealer)
    pair = limiter.pair("192.0.2.1", "basic", "ann")
    ending = asyncio.Event()

    async def verify() -> bool:
        await ending.wait()
        return ends == "right"

    async def attempt() -> bool:
        async with resources.database.lease() as lease:
            reserved, right = await limiter.attempt(lease, pair, verify)
            connection = await lease.connection()
            kind = "release_attempt($1, true)" if right else "fail_attempt($1)"
            await connection.execute(f"select {kind}", reserved.ref)
            return right

    attempts = [asyncio.create_task(attempt()) for _ in range(2)]
    done, _ = await asyncio.wait(attempts, timeout=0.2)
    assert not done
    ending.set()
    results = await asyncio.gather(*attempts, return_exceptions=True)
    if ends == "right":
        assert results == [True, True]
    else:
        assert sorted(map(str, map(type, results))) == sorted(map(str, [bool, RateLimited]))


async def test_an_attempt_whose_process_was_killed_counts_as_a_failure_after_a_minute(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    limiter = RateLimiter(RateLimits.of_api(limited(resources, failures_per_key=1).settings), resources.sealer)
    pair = limiter.pair("192.0.2.1", "basic", "ann")
    async with resources.database.lease() as lease:
        await limiter.reserve(lease, pair, is_pending=True)
        await owner_connection.execute("update authentication_failures set failed_at = failed_at - interval '61 s'")
        with pytest.raises(RateLimited):
            await limiter.reserve(lease, pair, is_pending=True)


async def test_the_addresses_of_one_ipv6_customer_are_one_address(resources: Resources, clean: None) -> None:
    few, statuses = limited(resources, failures_per_key=2), []
    for number in range(1, 5):
        async with browser(few, f"2001:db8:1:2:{number}::{number}") as client:
            statuses += await guess(client, KNOWN)
    assert statuses == [401, 401, 429, 429]
    async with browser(few, "2001:db8:1:3::1") as neighbour:
        assert await guess(neighbour, KNOWN) == [401]


async def test_a_rate_limited_request_writes_nothing(
    resources: Resources, cast: Cast, owner_connection: OwnerConnection, clean: None
) -> None:
    async def rows() -> list[int]:
        tables = ("oauth_nonces", "authentication_failures")
        return [await owner_connection.fetchval(f"select count(*) from {table}") for table in tables]

    wrong = SignedBy(OAuthCredentials(cast.owner.consumer_key, "wrong", "token", "secret"))
    async with browser(limited(resources, failures_per_key=2, failures_of_unknown_keys=1)) as client:
        for _ in range(2):
            await client.get(LANGUAGES, auth=wrong)
        before = await rows()
        for auth in (wrong, SignedBy(cast.owner)):
            assert (await client.get(LANGUAGES, auth=auth)).status_code == 429
        assert await rows() == before
        assert (await client.get(LANGUAGES, auth=signed("unknown"))).status_code == 429
        assert (await rows())[0] == before[0], "over the budget of the address only right signatures use nonces"


async def test_beyond_the_budget_of_the_address_a_nonce_still_works_once(
    resources: Resources, cast: Cast, clean: None
) -> None:
    async with browser(limited(resources, failures_of_unknown_keys=1)) as client:
        await client.get(LANGUAGES, auth=signed("unknown"))
        captured = SignedBy(cast.owner, nonce="captured")
        assert [(await client.get(LANGUAGES, auth=captured)).status_code for _ in range(2)] == [200, 401]


async def test_passwords_beyond_the_queue_get_503_immediately(resources: Resources, clean: None) -> None:
    short = CountingPasswords(log_in_places=2)
    clients = [browser(limited(resources, short), f"192.0.2.{number}") for number in range(1, 9)]
    responses = await asyncio.gather(*(each.get(LANGUAGES, auth=("nobody", "x")) for each in clients))
    full = [response for response in responses if response.status_code == 503]
    assert {response.status_code for response in responses} == {401, 503}
    assert {problem_in(response) for response in full} == {(503, "temporarilyUnavailable")}
    assert {response.headers["retry-after"] for response in full} == {"1"}
    assert short.verifications == len(responses) - len(full)
    for client in clients:
        await client.aclose()
    await short.close()


async def test_the_sent_name_is_not_stored(anonymous: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    """People paste secrets into the name field."""
    await anonymous.get(LANGUAGES, auth=("zebedee1984", "x"))
    await anonymous.get(LANGUAGES, auth=signed("zebedee1984"))
    kept = await owner_connection.fetch("select key from authentication_failures")
    assert len(kept) == 2 and "zebedee" not in str(kept)


async def test_a_cached_password_and_a_signature_cost_one_statement_each(
    resources: Resources, cast: Cast, clean: None
) -> None:
    async with browser(resources) as client:
        assert (await client.get(LANGUAGES, auth=RIGHT)).status_code == 200
        async with resources.database.connection() as warmest:
            pass  # the pool reuses it
        statements: list[str] = []
        with warmest.query_logger(lambda record: statements.append(record.query)):
            for auth in (RIGHT, SignedBy(cast.owner)):
                assert (await client.get(LANGUAGES, auth=auth)).status_code == 200
    of_authentication = [each for each in statements if re.search("authenticat|find_operator|attempt|nonce", each)]
    assert [each.partition("(")[0] for each in of_authentication] == [
        "select * from find_operator",
        "select * from authenticate_signature",
    ]
