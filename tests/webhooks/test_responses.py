"""Responses of receivers, retries, dead letters, and what is stored of responses."""

import httpx
import pytest

from tests.support.receiver import OK, Receiver, never, reply
from tests.webhooks.conftest import Receivers, Stage

SOON = [1] * 20


async def test_a_retry_differs_only_in_its_timestamp(stage: Stage, receiver: Receiver) -> None:
    responses = [reply(500), None, reply(302, Location=receiver.url), OK]
    receiver.respond = lambda _arrived: responses[len(receiver.arrived) - 1]
    subscription = await stage.subscribe(receiver.url)
    await stage.emit(site={"name": "Bäckerei"})
    async with stage.worker(webhook_retry_seconds=SOON):
        await stage.recorded(4)
    assert len({(each.webhook_id, each.body) for each in receiver.arrived}) == 1
    assert len({each.headers["webhook-timestamp"] for each in receiver.arrived}) == 4
    assert [each.verified(await stage.secret())["sequence"] for each in receiver.arrived] == [1] * 4
    stored = await stage.attempts(subscription)
    assert [(each["number"], each["status"], each["outcome"]) for each in stored] == [
        (1, 500, "retrying"), (2, None, "retrying"), (3, 302, "retrying"), (4, 200, "delivered"),
    ]  # fmt: skip
    assert stored[1]["error"] == "the connection was closed before a response"


async def test_after_the_last_attempt_a_delivery_is_a_dead_letter(stage: Stage, receiver: Receiver) -> None:
    receiver.respond = lambda _arrived: reply(404, b"not found")
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_retry_seconds=[1]):
        await stage.recorded(2)
    assert await stage.outcomes(subscription) == ["retrying", "dead"]
    [delivery] = await stage.deliveries()
    assert (delivery["due_at"], delivery["lease_until"]) == (None, None)
    assert delivery["dead_at"] is not None


async def test_410_deactivates_the_subscription(owner: httpx.AsyncClient, stage: Stage, receivers: Receivers) -> None:
    retired, other = await receivers(), await receivers()
    retired.respond = lambda _arrived: reply(410)
    subscription, _ = await stage.subscribe(retired.url), await stage.subscribe(other.url)
    async with stage.worker():
        await stage.emit()
        await stage.recorded(2)
        await stage.emit()
        await stage.recorded(3)
    assert (len(retired.arrived), len(other.arrived)) == (1, 2)
    assert await stage.outcomes(subscription) == ["gone"]
    assert (await owner.get(f"/webhooks/subscription/{subscription}")).json()["active"] is False
    audited = await stage.rows.fetch("select subject_ref from audit_entries where actor = 'worker'")
    assert [row["subject_ref"] for row in audited] == [subscription]


async def test_the_first_kib_of_a_response_is_stored(stage: Stage, receiver: Receiver) -> None:
    receiver.respond = lambda _arrived: reply(200, b"\0" + "ü".encode() * 100_000)
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    [stored] = await stage.attempts(subscription)
    assert stored["answer"] == "\ufffd" + "ü" * 511 + "\ufffd"


async def test_an_endless_response_is_a_success_and_is_not_read_completely(stage: Stage, receiver: Receiver) -> None:
    receiver.respond = lambda _arrived: b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_a_missing_response_times_out(stage: Stage, receiver: Receiver) -> None:
    receiver.respond = lambda _arrived: never()
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_timeout_seconds=1):
        await stage.recorded(1)
    [stored] = await stage.attempts(subscription)
    assert (stored["status"], stored["error"], stored["outcome"]) == (None, "no response within 1 s", "retrying")


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "the response is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n", "the response is not HTTP"),
        (b"", "no response within 1 s"),
    ],
    ids=["ssh", "endless header", "nothing"],
)
async def test_malformed_responses_are_failed_attempts(
    stage: Stage, receiver: Receiver, response: bytes, error: str
) -> None:
    receiver.respond = lambda _arrived: response
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_timeout_seconds=1):
        await stage.recorded(1)
    [stored] = await stage.attempts(subscription)
    assert (stored["outcome"], stored["error"]) == ("retrying", error)
