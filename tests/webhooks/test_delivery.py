"""From an event to its receiver: signed, delivered once, unchanged."""

import asyncio
import time
from typing import Any

import httpx
import pytest
from standardwebhooks import WebhookVerificationError

from sitewright.kit.key_file import new_key
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from sitewright.webhooks import service
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.receiver import Arrived, Receiver
from tests.support.sequencing import sequence_events
from tests.support.sites import make_domain, make_site
from tests.support.timeouts import HANG_SECONDS
from tests.webhooks.conftest import Receivers, Stage


async def test_a_publish_arrives_signed(
    owner: httpx.AsyncClient, resources: Resources, stage: Stage, receiver: Receiver
) -> None:
    site_ref = await make_site(stage.rows, resources)
    await make_domain(stage.rows, OWN_BRAND, site_ref, "bakery.example")
    subscription = await stage.subscribe(receiver.url)
    published = (await owner.post(f"/sites/{site_ref}/publish")).json()
    async with stage.worker():
        await stage.recorded(1)
    [arrived] = receiver.arrived
    event = arrived.verified(await stage.secret())
    site = (await owner.get(f"/sites/{site_ref}")).json()["site"]
    assert event["eventName"] == "site.publish"
    assert event["site"] == {name: value for name, value in site.items() if not name.startswith("database")}
    assert event["accountHolder"]["ref"] == site["accountHolderRef"]
    assert event["brand"] == {"ref": OWN_BRAND, "name": "Northwind Hosting"}
    assert (event["versionRef"], event["sequence"]) == (published["versionRef"], 1)
    assert await stage.outcomes(subscription) == ["delivered"]


async def test_headers(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url + "?key=a%20b#part")
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    [arrived] = receiver.arrived
    event_id = arrived.event["id"].replace("-", "")
    assert arrived.path == "/hook?key=a%20b"
    assert arrived.headers["content-type"] == "application/json"
    assert arrived.webhook_id == f"msg_{event_id}_{subscription}"
    assert abs(int(arrived.headers["webhook-timestamp"]) - time.time()) < HANG_SECONDS
    assert arrived.headers["webhook-signature"].startswith("v1,")
    assert "cookie" not in arrived.headers


async def test_another_body_or_secret_is_not_verified(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
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
        await stage.recorded(1)
        await stage.rows.execute("update webhook_secrets set expires_at = expires_at - interval '1 hour'")
        await stage.emit()
        await stage.recorded(2)
    during, after = receiver.arrived
    assert new != former
    assert during.verified(former) == during.verified(new)
    assert after.verified(new)
    with pytest.raises(WebhookVerificationError):
        after.verified(former)


async def test_a_secret_whose_master_key_is_lost_does_not_sign_after_a_rotation(
    stage: Stage, receiver: Receiver
) -> None:
    await stage.subscribe(receiver.url)
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        await service.rotate_secret(tx, Sealer(new_key()), TESTER, OWN_BRAND)
        new = await service.rotate_secret(tx, stage.resources.sealer, TESTER, OWN_BRAND)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    [arrived] = receiver.arrived
    assert arrived.verified(new)


async def test_each_event_is_delivered_once_to_each_subscription(stage: Stage, receivers: Receivers) -> None:
    first, second, other, inactive = [await receivers() for _ in range(4)]
    await stage.subscribe(first.url)
    await stage.subscribe(second.url)
    await stage.subscribe(other.url, OTHER_BRAND)
    await stage.subscribe(inactive.url, active=False)
    async with stage.worker():
        for _ in range(5):
            await stage.emit()
        await stage.emit(OTHER_BRAND)
        await stage.recorded(11)
    assert [len(each.arrived) for each in (first, second, other, inactive)] == [5, 5, 1, 0]
    assert sorted(each.event["sequence"] for each in first.arrived) == [1, 2, 3, 4, 5]
    assert len({*first.ids, *second.ids, *other.ids}) == 11


async def test_a_publish_does_not_wait_for_changes_of_subscriptions(
    owner: httpx.AsyncClient, resources: Resources, stage: Stage, receiver: Receiver
) -> None:
    """Even while a subscription is being changed or deleted."""
    site_ref = await make_site(stage.rows, resources)
    kept, deleted = await stage.subscribe(receiver.url), await stage.subscribe(receiver.url)
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        await tx.execute("update webhook_subscriptions set url = url where ref = $1", kept)
        await tx.execute("delete from webhook_subscriptions where ref = $1", deleted)
        response = await asyncio.wait_for(owner.post(f"/sites/{site_ref}/publish"), HANG_SECONDS)
        await asyncio.wait_for(sequence_events(stage.rows), HANG_SECONDS)
    assert response.status_code == 200
    assert [each["subscription_ref"] for each in await stage.deliveries()] == [kept]


async def test_metrics_count_attempts(anonymous: httpx.AsyncClient, stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    metrics: Any = (await anonymous.get("/metrics")).text
    assert 'sitewright_webhook_attempts_total{outcome="delivered"}' in metrics
    assert "sitewright_webhook_backlog " in metrics
