"""What receivers answer, or fail to: tried again, given up, and what is kept of it."""

import httpx
import pytest

from tests.support.receiver import OK, Receiver, never, reply
from tests.webhooks.conftest import Receivers, Stage

SOON = [1] * 20


async def test_a_retry_is_the_same_but_for_its_time(stage: Stage, receiver: Receiver) -> None:
    answers = [reply(500), None, reply(302, Location=receiver.url), OK]
    receiver.answer = lambda _arrived: answers[len(receiver.arrived) - 1]
    subscription = await stage.subscribe(receiver.url)
    await stage.emit(site={"name": "Bäckerei"})
    async with stage.worker(webhook_retry_seconds=SOON):
        await stage.noted(4)
    assert len({(each.webhook_id, each.body) for each in receiver.arrived}) == 1
    assert len({each.headers["webhook-timestamp"] for each in receiver.arrived}) == 4
    assert [each.verified(await stage.secret())["sequence"] for each in receiver.arrived] == [1] * 4
    kept = await stage.attempts(subscription)
    assert [(each["number"], each["status"], each["outcome"]) for each in kept] == [
        (1, 500, "retrying"), (2, None, "retrying"), (3, 302, "retrying"), (4, 200, "delivered"),
    ]  # fmt: skip
    assert kept[1]["error"] == "the connection was closed before an answer"


async def test_after_the_last_attempt_a_delivery_is_dead(stage: Stage, receiver: Receiver) -> None:
    receiver.answer = lambda _arrived: reply(404, b"nobody here")
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_retry_seconds=[1]):
        await stage.noted(2)
    assert await stage.outcomes(subscription) == ["retrying", "dead"]
    [delivery] = await stage.deliveries()
    assert (delivery["due_at"], delivery["lease_until"]) == (None, None)
    assert delivery["dead_at"] is not None


async def test_410_turns_the_subscription_inactive(
    owner: httpx.AsyncClient, stage: Stage, receivers: Receivers
) -> None:
    gone, other = await receivers(), await receivers()
    gone.answer = lambda _arrived: reply(410)
    subscription, _ = await stage.subscribe(gone.url), await stage.subscribe(other.url)
    async with stage.worker():
        await stage.emit()
        await stage.noted(2)
        await stage.emit()
        await stage.noted(3)
    assert (len(gone.arrived), len(other.arrived)) == (1, 2)
    assert await stage.outcomes(subscription) == ["gone"]
    assert (await owner.get(f"/webhooks/subscription/{subscription}")).json()["active"] is False
    audited = await stage.rows.fetch("select subject_ref from audit_entries where actor = 'worker'")
    assert [row["subject_ref"] for row in audited] == [subscription]


async def test_of_an_answer_the_first_kib_is_kept(stage: Stage, receiver: Receiver) -> None:
    receiver.answer = lambda _arrived: reply(200, b"\0" + "ü".encode() * 100_000)
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.noted(1)
    [kept] = await stage.attempts(subscription)
    assert kept["answer"] == "\ufffd" + "ü" * 511 + "\ufffd"


async def test_an_endless_answer_is_a_success_and_is_not_read_to_its_end(stage: Stage, receiver: Receiver) -> None:
    receiver.answer = lambda _arrived: b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.noted(1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_an_answer_that_never_comes_is_given_up_in_time(stage: Stage, receiver: Receiver) -> None:
    receiver.answer = lambda _arrived: never()
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_timeout_seconds=1):
        await stage.noted(1)
    [kept] = await stage.attempts(subscription)
    assert (kept["status"], kept["error"], kept["outcome"]) == (None, "no answer within 1 s", "retrying")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n", "the answer is not HTTP"),
        (b"", "no answer within 1 s"),
    ],
    ids=["ssh", "endless header", "nothing"],
)
async def test_whatever_a_receiver_says_there_is_an_outcome(
    stage: Stage, receiver: Receiver, answer: bytes, error: str
) -> None:
    receiver.answer = lambda _arrived: answer
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_timeout_seconds=1):
        await stage.noted(1)
    [kept] = await stage.attempts(subscription)
    assert (kept["outcome"], kept["error"]) == ("retrying", error)
