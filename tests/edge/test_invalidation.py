"""Changes are visible by notification, and within 30 seconds where a notification was lost."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from sitewright.edge import host_cache, store
from sitewright.edge.app import SiteListener
from sitewright.kit import clock
from sitewright.kit import listener as kit_listener
from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of, open_shop
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

NEW = FILES | {"": "<h1>New</h1>"}
Later = Callable[[float], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Shifts the stopwatch that measures the age of cache entries."""

    def move(seconds: float) -> None:
        monkeypatch.setattr(clock, "stopwatch", lambda: time.perf_counter() + seconds)

    return move


async def seen(visitor: Visitor, host: str = HOST) -> tuple[int, str]:
    response = await visitor.get("/", host=host)
    return response.status_code, response.text


async def test_a_publish_is_visible_by_notification(notified: SiteListener, visitor: Visitor, shop: Shop) -> None:
    for _ in range(3):
        assert await seen(visitor) == (200, FILES[""])
    await shop.publish(NEW, 2)

    async def is_new() -> bool:
        return await seen(visitor) == (200, NEW[""])

    await eventually(is_new)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("update sites set live = false where ref = $1", 503),
        ("update sites set enabled = false where ref = $1", 503),
        ("update sites set deleted_at = now() where ref = $1", 404),
        ("update sites set protocol = 'https' where ref = $1", 301),
        ("update users set suspended_at = now() where ref = (select user_ref from sites where ref = $1)", 503),
        ("update users set deleted_at = now() where ref = (select user_ref from sites where ref = $1)", 503),
        ("update sites set primary_domain_ref = null where ref = $1", 200),
        ("delete from site_domains where site_ref = $1", 404),
    ],
)
async def test_a_change_of_status_is_visible_by_notification(
    notified: SiteListener, visitor: Visitor, shop: Shop, change: str, status: int
) -> None:
    for _ in range(2):
        assert (await seen(visitor))[0] == 200
    await shop.owner.execute(change, shop.ref)

    async def has_changed() -> bool:
        return (await seen(visitor))[0] == status

    await eventually(has_changed)


async def test_a_newly_mapped_host_is_served_by_notification(
    notified: SiteListener, visitor: Visitor, shop: Shop
) -> None:
    assert (await seen(visitor, "www.shop.example"))[0] == 404
    await shop.map("www.shop.example")

    async def is_there() -> bool:
        return (await seen(visitor, "www.shop.example"))[0] == 200

    await eventually(is_there)


async def test_a_host_that_moves_to_another_site_is_invalidated(
    notified: SiteListener, visitor: Visitor, shop: Shop, resources: Resources, owner_connection: OwnerConnection
) -> None:
    other = await open_shop(owner_connection, resources, "other.example", files=NEW, user_ref=await owner_of(shop))
    assert await seen(visitor) == (200, FILES[""])
    async with owner_connection.transaction():
        await owner_connection.execute("update sites set primary_domain_ref = null where ref = $1", shop.ref)
        await owner_connection.execute("delete from site_domains where domain = $1", HOST)
        await other.map(HOST)

    async def has_moved() -> bool:
        return await seen(visitor) == (200, NEW[""])

    await eventually(has_moved)


async def owner_of(shop: Shop) -> int:
    ref: int = await shop.owner.fetchval("select user_ref from sites where ref = $1", shop.ref)
    return ref


async def test_a_change_without_notification_is_visible_after_30_seconds(
    visitor: Visitor, shop: Shop, later: Later
) -> None:
    for _ in range(2):
        await seen(visitor)
    await shop.publish(NEW, 2)
    later(29)
    assert await seen(visitor) == (200, FILES[""])
    later(30)
    assert await seen(visitor) == (200, NEW[""])


async def test_a_host_mapped_without_notification_is_served_after_30_seconds(
    visitor: Visitor, shop: Shop, later: Later
) -> None:
    assert (await seen(visitor, "www.shop.example"))[0] == 404
    await shop.map("www.shop.example")
    assert (await seen(visitor, "www.shop.example"))[0] == 404
    later(30)
    assert (await seen(visitor, "www.shop.example"))[0] == 200


async def test_everything_is_stale_after_the_connection_was_lost(
    notified: SiteListener, visitor: Visitor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notifications sent while the connection is down are lost."""
    monkeypatch.setattr(kit_listener, "RECONNECT_SECONDS", 0.3)
    await seen(visitor)
    lost = await shop.owner.fetchval(
        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
        " where query like 'LISTEN%' or query ilike '%select 1%' and pid <> pg_backend_pid()"
    )
    assert lost >= 1
    await shop.publish(NEW, 2)

    async def is_new() -> bool:
        return await seen(visitor) == (200, NEW[""])

    await eventually(is_new)


async def test_a_change_during_the_look_up_is_read_again(
    notified: SiteListener, visitor: Visitor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The site was read before the change, and the notification arrived before the result was cached."""
    look_up, calls = store.site_of_host, []

    async def slowly(connection: Any, host: str) -> Any:
        found = await look_up(connection, host)
        calls.append(host)
        if len(calls) == 1:
            heard = asyncio.Event()
            monkeypatch.setattr(notified.sites, "on_notification", notifying(notified.sites.on_notification, heard))
            await shop.publish(NEW, 2)
            await asyncio.wait_for(heard.wait(), HANG_SECONDS)
        return found

    def notifying(callback: Callable[[str], None], heard: asyncio.Event) -> Callable[[str], None]:
        def hear(text: str) -> None:
            callback(text)
            heard.set()

        return hear

    monkeypatch.setattr(store, "site_of_host", slowly)
    assert await seen(visitor) == (200, NEW[""])
    assert len(calls) == 2


async def test_5000_notifications_of_one_transaction_are_handled_at_once(
    notified: SiteListener, visitor: Visitor, shop: Shop
) -> None:
    """A sweep of due packages can cause as many."""
    await seen(visitor)
    async with shop.owner.transaction():
        await shop.owner.execute(
            "select pg_notify('sitewright_sites', n::text) from generate_series(1000000, 1005000) n"
        )
        await shop.set(live=False)

    async def is_offline() -> bool:
        return (await seen(visitor))[0] == 503

    await eventually(is_offline)


@pytest.mark.parametrize("text", ["", " ", "x", "1", "-1", "1 ", "9" * 30, "² shop.example", "1 shop.example more"])
async def test_malformed_notifications_are_ignored(
    listener: SiteListener, visitor: Visitor, shop: Shop, text: str
) -> None:
    await seen(visitor)
    listener.sites.on_notification(text)
    assert (await seen(visitor))[0] == 200


async def test_concurrent_requests_share_one_look_up(
    listener: SiteListener, visitor: Visitor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: list[str] = []
    for name in ("site_of_host", "read_file"):
        monkeypatch.setattr(store, name, counted(getattr(store, name), name, queries))
    responses = await asyncio.gather(*(visitor.get("/") for _ in range(200)))
    assert {kind_of(response) for response in responses} == {(200, "page")}
    assert sorted(queries) == ["read_file", "site_of_host"]


async def test_a_missing_page_is_looked_up_once(
    listener: SiteListener, visitor: Visitor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await visitor.get("/nothing")
    queries: list[str] = []
    for name in ("site_of_host", "read_file", "list_paths"):
        monkeypatch.setattr(store, name, counted(getattr(store, name), name, queries))
    for number in range(20):
        assert (await visitor.get(f"/nothing/{number}")).status_code == 404
        assert (await visitor.get("/", host="nobody.example")).status_code == 404
    assert queries == ["site_of_host"]


def counted(function: Callable[..., Any], name: str, queries: list[str]) -> Callable[..., Any]:
    async def wrapper(*arguments: Any) -> Any:
        queries.append(name)
        return await function(*arguments)

    return wrapper


def test_the_host_cache_is_bounded() -> None:
    assert host_cache.MAX_UNKNOWN_HOSTS <= 20_000
    assert host_cache.FRESH_SECONDS <= 30
