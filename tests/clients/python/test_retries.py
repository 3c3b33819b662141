"""Calls are repeated until they succeed, and nothing is done twice."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from sitewright_client import ApiError, AsyncClient, Client, ConnectionFailed, Response, Retries
from sitewright_client import operations as api
from tests.clients.python.conftest import ANN, AT_ONCE, oauth_of
from tests.support.cast import Cast
from tests.support.lossy_relay import lossy_relay
from tests.support.receiver import Arrived, Reply, open_receiver, reply
from tests.support.service import free_port
from tests.support.users import OwnerConnection


async def test_a_lost_response_creates_one_user(
    base_url: str, cast: Cast, clean: None, owner_connection: OwnerConnection
) -> None:
    async with lossy_relay(base_url) as relay, AsyncClient(relay.url, oauth_of(cast), retries=AT_ONCE) as client:
        response = await client.raw(api.create_user(ANN))
        assert (response.status, response.attempts, response.replayed) == (201, 2, True)
        assert relay.lost[0].startswith(b"HTTP/1.1 201")
    assert await owner_connection.fetchval("select count(*) from users where username = 'ann'") == 1


async def test_the_same_without_an_event_loop(base_url: str, cast: Cast, clean: None) -> None:
    async with lossy_relay(base_url, losses=2) as relay:
        with Client(relay.url, oauth_of(cast), retries=AT_ONCE) as client:
            response = await asyncio.to_thread(client.raw, api.create_user(ANN))
    assert (response.status, response.attempts, response.replayed) == (201, 3, True)


async def test_attempts_share_a_key_and_a_request_id_but_no_nonce(cast: Cast) -> None:
    replies: list[Reply] = [reply(503, retry_after="0"), None, reply(429, retry_after="0"), reply(204)]
    async with open_receiver() as service:
        service.respond = lambda _arrived: replies[len(service.arrived) - 1]
        async with AsyncClient(service.url.removesuffix("/hook"), oauth_of(cast), retries=AT_ONCE) as client:
            response = await client.raw(api.suspend_user(1))
    assert (response.status, response.attempts) == (204, 4)
    for header, distinct in (("idempotency-key", 1), ("x-request-id", 1), ("authorization", 4)):
        assert len({each.headers[header] for each in service.arrived}) == distinct


async def test_own_headers_replace_those_of_the_client_in_any_spelling(cast: Cast) -> None:
    async with open_receiver() as service:
        service.respond = lambda _arrived: reply(204)
        url = service.url.removesuffix("/hook")
        async with AsyncClient(url, oauth_of(cast), brand_ref=1) as client:
            await client.call(api.suspend_user(1), headers={"idempotency-key": "mine", "x-brand-ref": "2"})
    sent = service.arrived[0].headers
    assert (sent["idempotency-key"], sent["x-brand-ref"]) == ("mine", "2")


async def test_a_request_that_is_still_running_is_tried_again(cast: Cast) -> None:
    def respond(_arrived: Arrived) -> Reply:
        problem = b'{"code":"idempotencyInProgress"}' if len(service.arrived) < 3 else b'{"code":"usernameTaken"}'
        return reply(409, problem, content_type="application/problem+json")

    async with open_receiver() as service:
        service.respond = respond
        async with AsyncClient(service.url.removesuffix("/hook"), oauth_of(cast), retries=AT_ONCE) as client:
            with pytest.raises(ApiError) as caught:
                await client.call(api.create_user(ANN))
    assert (caught.value.code, caught.value.attempts) == ("usernameTaken", 3)


async def test_a_service_that_is_away(cast: Cast) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    async with AsyncClient(url, oauth_of(cast), retries=Retries(attempts=3, first_wait=0)) as client:
        with pytest.raises(ConnectionFailed, match="GET /users: no response") as caught:
            await client.call(api.list_users())
    assert caught.value.attempts == 3 and caught.value.request_id in str(caught.value)


def response_with(status: int, **headers: str) -> Response[object]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(http=httpx2.Response(status, headers=sent), request_id="1", attempts=1)


def test_the_wait_is_never_shorter_than_retry_after() -> None:
    retries = Retries(attempts=3)
    waits = [retries.wait_after_response(response_with(429, retry_after="7"), 1) for _ in range(200)]
    assert all(wait is not None and 7 <= wait <= 7.5 for wait in waits) and len(set(waits)) > 100
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    dated = retries.wait_after_response(response_with(503, retry_after=later), 1)
    assert dated is not None and dated > 0
    assert retries.wait_after_response(response_with(503, retry_after="3600"), 1) is None
    assert retries.wait_after_response(response_with(503, retry_after="soon"), 1) is not None


def test_waits_double_with_jitter_and_end() -> None:
    retries = Retries(attempts=8, first_wait=1, longest_wait=20)
    for attempt, ceiling in ((1, 1), (2, 2), (3, 4), (5, 16), (7, 20)):
        waits = [retries.wait_after_response(response_with(503), attempt) for _ in range(200)]
        assert all(wait is not None and 0 <= wait <= ceiling for wait in waits)
        assert max(wait or 0 for wait in waits) > ceiling / 2
    assert retries.wait_after_response(response_with(503), 8) is None
    assert retries.wait_after_failure(8) is None
    assert Retries(attempts=None).wait_after_failure(10**6) is not None


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 409, 410, 412, 500])
def test_other_responses_are_final(status: int) -> None:
    assert Retries().wait_after_response(response_with(status), 1) is None
