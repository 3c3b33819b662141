"""Attempts as integrators read them, and replays."""

import httpx
import pytest

from tests.support.cast import OTHER_BRAND
from tests.support.receiver import OK, Receiver, reply
from tests.support.responses import problem_in
from tests.webhooks.conftest import Stage

PATH = "/webhooks/subscription"


async def test_the_fields_of_an_attempt(owner: httpx.AsyncClient, stage: Stage, receiver: Receiver) -> None:
    receiver.respond = lambda _arrived: reply(503, b"later")
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    [attempt] = (await owner.get(f"{PATH}/{subscription}/attempts")).json()["attempts"]
    [arrived] = receiver.arrived
    assert (attempt["webhookId"], attempt["eventId"]) == (arrived.webhook_id, arrived.event["id"])
    assert (attempt["event"], attempt["sequence"], attempt["number"]) == ("site.publish", 1, 1)
    assert (attempt["outcome"], attempt["status"], attempt["answer"], attempt["error"]) == (
        "retrying", 503, "later", None,
    )  # fmt: skip
    assert attempt["at"]["timezone_type"] == 3
    assert attempt["at"]["date"] < attempt["nextAttempt"]["date"]


async def test_attempts_are_paginated(owner: httpx.AsyncClient, stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    for _ in range(5):
        await stage.emit()
    async with stage.worker():
        await stage.recorded(5)
    path = f"{PATH}/{subscription}/attempts"
    everything = [each["id"] for each in (await owner.get(path)).json()["attempts"]]
    seen, url = [], f"{path}?limit=2"
    while url:
        page = await owner.get(url)
        seen += [each["id"] for each in page.json()["attempts"]]
        url = page.links.get("next", {}).get("url", "")
    assert seen == everything == sorted(everything)
    back = await owner.get(path, params={"limit": 2, "before": everything[3]})
    assert [each["id"] for each in back.json()["attempts"]] == everything[1:3]
    assert (await owner.get(path, params={"offset": 4})).json()["attempts"][0]["id"] == everything[4]


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "offset=-1", "after=x"])
async def test_invalid_pages_are_refused(owner: httpx.AsyncClient, stage: Stage, query: str) -> None:
    subscription = await stage.subscribe("https://hooks.example/")
    assert (await owner.get(f"{PATH}/{subscription}/attempts?{query}")).status_code == 400


async def test_a_replay_delivers_the_same_again(owner: httpx.AsyncClient, stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit(site={"ref": 5})
    async with stage.worker():
        await stage.recorded(1)
        [attempt] = (await owner.get(f"{PATH}/{subscription}/attempts")).json()["attempts"]
        response = await owner.post(f"{PATH}/{subscription}/attempts/{attempt['id']}/replay")
        await stage.recorded(2)
    first, second = receiver.arrived
    expected = {"webhookId": first.webhook_id, "eventId": first.event["id"], "sequence": 1}
    assert (response.status_code, response.json()) == (202, expected)
    assert (first.webhook_id, first.body) == (second.webhook_id, second.body)
    assert second.verified(await stage.secret())


async def test_a_replayed_dead_letter_is_retried_like_a_new_delivery(
    owner: httpx.AsyncClient, stage: Stage, receiver: Receiver
) -> None:
    responses = [reply(500), reply(500), reply(500), OK]
    receiver.respond = lambda _arrived: responses[len(receiver.arrived) - 1]
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_retry_seconds=[1]):
        await stage.recorded(2)
        attempts = (await owner.get(f"{PATH}/{subscription}/attempts")).json()["attempts"]
        await owner.post(f"{PATH}/{subscription}/attempts/{attempts[0]['id']}/replay")
        await stage.recorded(4)
    assert await stage.outcomes(subscription) == ["retrying", "dead", "retrying", "delivered"]


async def test_an_inactive_subscription_cannot_be_replayed(
    owner: httpx.AsyncClient, stage: Stage, receiver: Receiver
) -> None:
    receiver.respond = lambda _arrived: reply(410)
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    [attempt] = await stage.attempts(subscription)
    response = await owner.post(f"{PATH}/{subscription}/attempts/{attempt['ref']}/replay")
    assert problem_in(response) == (409, "subscriptionInactive")


async def test_attempts_of_other_subscriptions_and_brands_are_not_found(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, stage: Stage, receiver: Receiver
) -> None:
    mine, theirs = await stage.subscribe(receiver.url), await stage.subscribe(receiver.url, OTHER_BRAND)
    await stage.emit(OTHER_BRAND)
    async with stage.worker():
        await stage.recorded(1)
    [attempt] = await stage.attempts(theirs)
    for ref in (attempt["ref"], 999_999, "abc"):
        response = await owner.post(f"{PATH}/{mine}/attempts/{ref}/replay")
        assert problem_in(response) == (404, "attemptNotFound")
    response = await owner.post(f"{PATH}/{theirs}/attempts/{attempt['ref']}/replay")
    assert problem_in(response) == (404, "subscriptionNotFound")
    assert (await owner.get(f"{PATH}/{mine}/attempts")).json() == {"attempts": []}
