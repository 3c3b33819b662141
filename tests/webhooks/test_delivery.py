"""From an event to its receiver: signed, once, as it was told."""

import asyncio
import time
from typing import Any

import httpx
import pytest
from standardwebhooks import WebhookVerificationError

from sitewright.kit.resources import Resources
from sitewright.webhooks import service
from sitewright.webhooks.deliveries import store
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.eventually import eventually
from tests.support.receiver import OK, Arrived, Receiver, never, reply
from tests.support.sites import make_domain, make_site
from tests.webhooks.conftest import PATIENT, Receivers, Stage

SOON = [1] * 20


async def test_a_publish_arrives_signed(
    owner: httpx.AsyncClient, resources: Resources, stage: Stage, receiver: Receiver
) -> None:
    site_ref = await make_site(stage.rows, resources)
    await make_domain(stage.rows, OWN_BRAND, site_ref, "bakery.example")
    subscription = await stage.subscribe(receiver.url)
    published = (await owner.post(f"/sites/{site_ref}/publish")).json()
    async with stage.worker():
        await stage.noted(1)
    [arrived] = receiver.arrived
    told = arrived.verified(await stage.secret())
    site = (await owner.get(f"/sites/{site_ref}")).json()["site"]
    assert told["eventName"] == "site.publish"
    assert told["site"] == {name: value for name, value in site.items() if not name.startswith("database")}
    assert told["accountHolder"]["ref"] == site["accountHolderRef"]
    assert told["brand"] == {"ref": OWN_BRAND, "name": "Northwind Hosting"}
    assert (told["versionRef"], told["sequence"]) == (published["versionRef"], 1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_what_the_headers_say(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url + "?key=a%20b#part")
    await stage.emit()
    async with stage.worker():
        await stage.noted(1)
    [arrived] = receiver.arrived
    event_id = arrived.told["id"].replace("-", "")
    assert arrived.path == "/hook?key=a%20b"
    assert arrived.headers["content-type"] == "application/json"
    assert arrived.webhook_id == f"msg_{event_id}_{subscription}"
    assert abs(int(arrived.headers["webhook-timestamp"]) - time.time()) < PATIENT
    assert arrived.headers["webhook-signature"].startswith("v1,")
    assert "cookie" not in arrived.headers


async def test_another_body_or_secret_is_not_verified(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.noted(1)
    [arrived] = receiver.arrived
    with pytest.raises(WebhookVerificationError):
        arrived.verified(await stage.secret(OTHER_BRAND))
    changed = Arrived(arrived.path, arrived.headers, arrived.body.replace(b"site", b"sit3"), 0)
    with pytest.raises(WebhookVerificationError):
        changed.verified(await stage.secret())


async def test_for_a_day_after_a_rotation_both_secrets_sign(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    former = await stage.secret()
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        new = await service.rotate_secret(tx, stage.resources.sealer, TESTER, OWN_BRAND)
    await stage.emit()
    await stage.rows.execute("update webhook_secrets set expires_at = expires_at - interval '23 hours'")
    async with stage.worker():
        await stage.noted(1)
        await stage.rows.execute("update webhook_secrets set expires_at = expires_at - interval '1 hour'")
        await stage.emit()
        await stage.noted(2)
    during, after = receiver.arrived
    assert new != former
    assert during.verified(former) == during.verified(new)
    assert after.verified(new)
    with pytest.raises(WebhookVerificationError):
        after.verified(former)


async def test_each_subscription_hears_of_each_event_once(stage: Stage, receivers: Receivers) -> None:
    first, second, other, inactive = [await receivers() for _ in range(4)]
    await stage.subscribe(first.url)
    await stage.subscribe(second.url)
    await stage.subscribe(other.url, OTHER_BRAND)
    await stage.subscribe(inactive.url, active=False)
    async with stage.worker():
        for _ in range(5):
            await stage.emit()
        await stage.emit(OTHER_BRAND)
        await stage.noted(11)
    assert [len(each.arrived) for each in (first, second, other, inactive)] == [5, 5, 1, 0]
    assert sorted(each.told["sequence"] for each in first.arrived) == [1, 2, 3, 4, 5]
    assert len({*first.ids, *second.ids, *other.ids}) == 11


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
    assert (delivery["due_at"], delivery["claimed_by"]) == (None, None)
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


async def test_receivers_that_hang_delay_nobody_else(stage: Stage, receivers: Receivers) -> None:
    hanging = [await receivers() for _ in range(12)]
    prompt = await receivers()
    for each in hanging:
        each.answer = lambda _arrived: never()
        await stage.subscribe(each.url)
    await stage.subscribe(prompt.url)
    for _ in range(30):
        await stage.emit()
    async with stage.worker(webhook_timeout_seconds=3, webhook_connections=64):
        await eventually(lambda: len(prompt.arrived) == 30, within=PATIENT)
        tried = [each.most_at_once for each in hanging]
    assert all(1 <= most <= 2 for most in tried), tried


async def test_one_destination_has_so_many_connections_and_no_more(stage: Stage, receiver: Receiver) -> None:
    async def slowly(_arrived: Arrived) -> bytes:
        await asyncio.sleep(0.02)
        return OK

    receiver.answer = slowly
    for _ in range(3):
        await stage.subscribe(receiver.url)
    for _ in range(40):
        await stage.emit()
    async with stage.worker(webhook_connections_per_destination=4):
        await stage.noted(120)
    assert receiver.most_at_once == 4
    assert len(set(receiver.ids)) == len(receiver.ids) == 120


async def test_several_workers_share_the_work_and_double_none(stage: Stage, receivers: Receivers) -> None:
    several = [await receivers() for _ in range(3)]
    for each in several:
        await stage.subscribe(each.url)
    async with stage.worker(), stage.worker(), stage.worker():
        await asyncio.gather(*(stage.emit() for _ in range(40)))
        await stage.noted(120)
    arrived = [each for receiver in several for each in receiver.ids]
    assert len(set(arrived)) == len(arrived) == 120


async def test_a_worker_told_to_stop_finishes_what_it_has_begun(stage: Stage, receiver: Receiver) -> None:
    may_answer = asyncio.Event()

    async def when_told(_arrived: Arrived) -> bytes:
        await may_answer.wait()
        return OK

    receiver.answer = when_told
    subscription = await stage.subscribe(receiver.url)
    for _ in range(5):
        await stage.emit()
    async with stage.worker():
        await eventually(lambda: receiver.arrived, within=PATIENT)
        asyncio.get_running_loop().call_later(0.2, may_answer.set)
    assert await stage.outcomes(subscription) == ["delivered"] * len(receiver.arrived)
    assert {each["claimed_by"] for each in await stage.deliveries()} == {None}


async def test_an_event_whose_notification_is_lost_arrives_later(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    await stage.rows.execute("alter table events disable trigger fan_out_event")
    try:
        async with stage.worker():
            sequence = await stage.emit()
            await stage.rows.execute(
                "insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at)"
                " select brand_ref, ref, $1, now() from webhook_subscriptions",
                sequence,
            )
            await stage.noted(1)
    finally:
        await stage.rows.execute("alter table events enable trigger fan_out_event")
    assert len(receiver.arrived) == 1


async def test_a_worker_that_is_gone_leaves_its_claims_to_others(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    await stage.rows.execute("update webhook_deliveries set claimed_by = 4711")
    async with stage.worker():
        await stage.noted(1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_the_claims_of_a_worker_that_is_there_are_its_own(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    await stage.rows.execute("update webhook_deliveries set claimed_by = 4711")
    await stage.rows.execute("select pg_advisory_lock(1463899721, 4711)")
    try:
        async with stage.worker():
            await stage.emit()
            await stage.noted(1)
    finally:
        await stage.rows.execute("select pg_advisory_unlock(1463899721, 4711)")
    assert [each["sequence"] for each in await stage.attempts(subscription)] == [2]


async def test_a_worker_whose_connections_are_cut_goes_on(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    cut = (
        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
        " where application_name like 'sitewright webhooks%'"
    )
    async with stage.worker():
        await stage.emit()
        await stage.noted(1)
        assert await stage.rows.fetchval(cut) == 1
        await stage.emit()
        await stage.noted(2)
    assert len(set(receiver.ids)) == len(receiver.ids) == 2


async def test_a_publish_waits_for_nobody(
    owner: httpx.AsyncClient, resources: Resources, stage: Stage, receiver: Receiver
) -> None:
    """Not even for somebody who changes or deletes a subscription in the same moment."""
    site_ref = await make_site(stage.rows, resources)
    kept, deleted = await stage.subscribe(receiver.url), await stage.subscribe(receiver.url)
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        await tx.execute("update webhook_subscriptions set url = url where ref = $1", kept)
        await tx.execute("delete from webhook_subscriptions where ref = $1", deleted)
        answer = await asyncio.wait_for(owner.post(f"/sites/{site_ref}/publish"), PATIENT)
    assert answer.status_code == 200
    assert [each["subscription_ref"] for each in await stage.deliveries()] == [kept]


async def test_metrics_count_attempts(anonymous: httpx.AsyncClient, stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.noted(1)
    told: Any = (await anonymous.get("/metrics")).text
    assert 'sitewright_webhook_attempts_total{outcome="delivered"}' in told
    assert "sitewright_webhook_backlog " in told


async def test_a_claim_that_was_not_heard_of_is_made_again(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: Any = store.claim
    lost: list[int] = []

    async def lose_the_first(*arguments: Any) -> list[store.Claimed]:
        claimed: list[store.Claimed] = await heard(*arguments)
        if claimed and not lost:
            lost.append(len(claimed))
            raise ConnectionResetError
        return claimed

    monkeypatch.setattr(store, "claim", lose_the_first)
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.noted(1)
    assert (lost, await stage.outcomes(subscription)) == ([1], ["delivered"])
