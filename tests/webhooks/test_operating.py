"""The operator's commands for webhooks, and the secrets of the demo."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from sitewright.demo.service import demo_file, ensure_demo
from sitewright.webhooks import operating, service
from sitewright.webhooks.errors import AttemptNotFound, SubscriptionInactive, SubscriptionNotFound
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.eventually import eventually
from tests.support.receiver import OK, Receiver, reply
from tests.support.service import run_command
from tests.webhooks.conftest import LOOPBACK, Stage

Run = Callable[..., Awaitable[tuple[int, str]]]


@pytest.fixture
def run(stage: Stage, database_url: str) -> Run:
    async def run_webhooks(*arguments: str) -> tuple[int, str]:
        return await run_command(stage.resources.settings.data_path, "webhooks", *arguments, database_url=database_url)

    return run_webhooks


async def test_the_commands(stage: Stage, receiver: Receiver, run: Run) -> None:
    receiver.respond = lambda _arrived: reply(500, b"[broken]")
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker(webhook_retry_seconds=[1]):
        await stage.recorded(2)
    [first, _] = await stage.attempts(subscription)
    code, listed = await run("list", "--brand", "1")
    assert (code, receiver.url in listed, " dead" in listed) == (0, True, True)
    code, listed = await run("attempts", str(subscription), "--failed")
    assert (code, listed.count("site.publish"), listed.count("[broken]")) == (0, 2, 2)
    assert await run("replay", str(first["ref"])) == (0, "Delivering 1 event again.\n")
    assert await run("replay", "999999") == (1, f"sitewright: {AttemptNotFound.detail}\n")
    assert (await run("replay"))[0] == 2


async def test_a_test_delivery_shows_the_response(stage: Stage, receiver: Receiver, run: Run) -> None:
    receiver.respond = lambda _arrived: reply(200, b"[hello]")
    subscription = await stage.subscribe(receiver.url, active=False)
    code, output = await run("test", str(subscription), "--demo")
    [arrived] = receiver.arrived
    event = arrived.verified(await stage.secret())
    assert (code, output.startswith("Status 200 after "), "[hello]" in output) == (0, True, True)
    assert (event["eventName"], event["subscription"]["id"]) == ("webhook.test", subscription)
    code, output = await run("test", str(subscription))
    assert (code, "is not public" in output, len(receiver.arrived)) == (1, True, 1)
    assert await stage.attempts(subscription) == []


async def test_the_secret_is_shown_and_rotated(stage: Stage, run: Run) -> None:
    code, shown = await run("secret", "--brand", "1")
    assert (code, shown.strip()) == (0, await stage.secret())
    code, new = await run("rotate-secret", "--brand", "1")
    assert (code, new.strip()) == (0, await stage.secret())
    assert new != shown
    assert (await run("secret", "--brand", "999"))[0] == 1
    audited = await stage.rows.fetch("select details::text from audit_entries where action = 'rotate secret'")
    assert [shown.strip() in row["details"] for row in audited] == [False]


async def test_all_dead_letters_can_be_replayed(stage: Stage, receiver: Receiver) -> None:
    receiver.respond = lambda _arrived: reply(500)
    subscription = await stage.subscribe(receiver.url)
    for _ in range(3):
        await stage.emit()
    async with stage.worker(webhook_retry_seconds=[]):
        await stage.recorded(3)
        receiver.respond = lambda _arrived: OK
        assert await operating.replay_dead(stage.resources, TESTER, subscription) == 3
        await stage.recorded(6)
    assert sorted(await stage.outcomes(subscription)) == ["dead"] * 3 + ["delivered"] * 3
    assert await operating.replay_dead(stage.resources, TESTER, subscription) == 0


async def test_unknown_and_inactive_subscriptions_are_reported(stage: Stage) -> None:
    inactive = await stage.subscribe("https://hooks.example/", active=False)
    with pytest.raises(SubscriptionInactive):
        await operating.replay_dead(stage.resources, TESTER, inactive)
    for work in (
        operating.replay_dead(stage.resources, TESTER, 999_999),
        operating.attempts(stage.resources, 999_999, 10, failed_only=False),
        operating.send_test(stage.resources, stage.resources.settings, TESTER, 999_999),
    ):
        with pytest.raises(SubscriptionNotFound):
            await work


async def test_secrets_are_sealed_one_for_each_brand(stage: Stage) -> None:
    mine, theirs = await stage.secret(), await stage.secret(OTHER_BRAND)
    assert mine != theirs
    assert mine.startswith("whsec_")
    sealed = await stage.rows.fetch("select sealed_secret from webhook_secrets")
    assert not any(each.removeprefix("whsec_").encode() in row[0] for row in sealed for each in (mine, theirs))


async def test_concurrent_requests_create_one_secret(stage: Stage) -> None:
    assert len(set(await asyncio.gather(*(stage.secret() for _ in range(8))))) == 1


async def test_the_demo_file_contains_the_signing_secrets(stage: Stage, database_url: str, receiver: Receiver) -> None:
    await ensure_demo(stage.resources, database_url)
    brand = json.loads(demo_file(stage.resources.settings).read_text())["brands"][0]
    await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await eventually(lambda: receiver.arrived)
    assert receiver.arrived[0].verified(brand["webhookSecret"])
    await ensure_demo(stage.resources, database_url)
    assert json.loads(demo_file(stage.resources.settings).read_text())["brands"][0] == brand


def test_the_demo_may_reach_loopback(stage: Stage) -> None:
    assert stage.resources.settings.webhook_allowed_networks == []
    assert stage.resources.settings.for_demo().webhook_allowed_networks == LOOPBACK
    assert service.check_subscription(stage.resources.settings.for_demo(), {"url": "http://127.0.0.1:9/"}) == {}
    assert service.check_subscription(stage.resources.settings, {"url": "http://127.0.0.1:9/"}) != {}


async def test_a_rotation_affects_one_brand(stage: Stage) -> None:
    theirs = await stage.secret(OTHER_BRAND)
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        await service.rotate_secret(tx, stage.resources.sealer, TESTER, OWN_BRAND)
    assert await stage.secret(OTHER_BRAND) == theirs
