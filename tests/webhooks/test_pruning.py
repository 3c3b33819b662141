"""Retention of events, deliveries and attempts."""

from datetime import timedelta

import pytest

from sitewright.events import service as events
from sitewright.kit import clock
from sitewright.webhooks.pruning import prune
from tests.support.cast import OWN_BRAND
from tests.support.receiver import Receiver
from tests.webhooks.conftest import Stage

DAY = 86400


async def counts(stage: Stage) -> tuple[int, ...]:
    tables = ("events", "webhook_deliveries", "webhook_attempts")
    return tuple([await stage.rows.fetchval(f"select count(*) from {table}") for table in tables])


async def test_attempts_deliveries_and_events_are_deleted_after_30_days(stage: Stage, receiver: Receiver) -> None:
    await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
    clock.shift(29 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (1, 1, 1)
    clock.shift(31 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (0, 0, 0)
    assert await stage.emit() == 2


async def test_an_old_event_that_was_replayed_recently_is_kept(stage: Stage, receiver: Receiver) -> None:
    subscription = await stage.subscribe(receiver.url)
    await stage.emit()
    async with stage.worker():
        await stage.recorded(1)
        clock.shift(29 * DAY)
        await stage.rows.execute("update webhook_deliveries set due_at = now(), delivered_at = null")
        await stage.recorded(2)
    clock.shift(31 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (1, 1, 1)
    assert await stage.outcomes(subscription) == ["delivered"]


@pytest.mark.parametrize("days", [-40, 700], ids=["due while no worker ran", "clock of a test brand"])
async def test_events_are_kept_for_30_days_after_they_are_numbered(stage: Stage, days: int) -> None:
    """Whatever their own time is: readers have not seen them yet, and must not find those gone that are there."""
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        await events.emit(tx, "site.publish", {}, clock.now() + timedelta(days=days))
    await stage.emit()
    clock.shift(29 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (2, 0, 0)
    clock.shift(31 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (0, 0, 0)


async def test_waiting_deliveries_are_kept(stage: Stage) -> None:
    await stage.subscribe("https://hooks.example/")
    await stage.emit()
    clock.shift(31 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (1, 1, 0)


async def test_held_deliveries_are_deleted_after_30_days(stage: Stage) -> None:
    subscription = await stage.subscribe("https://hooks.example/")
    await stage.emit()
    await stage.rows.execute("update webhook_subscriptions set active = false where ref = $1", subscription)
    clock.shift(29 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (1, 1, 0)
    clock.shift(31 * DAY)
    await prune(stage.resources)
    assert await counts(stage) == (0, 0, 0)


async def test_expired_secrets_are_deleted(stage: Stage) -> None:
    secret = await stage.secret()
    await stage.rows.execute(
        "insert into webhook_secrets (brand_ref, sealed_secret, created_at, expires_at)"
        " values (1, 'x', now(), now() - interval '1 minute')"
    )
    await prune(stage.resources)
    assert await stage.rows.fetchval("select count(*) from webhook_secrets") == 1
    assert await stage.secret() == secret
