"""Webhook subscriptions over the API."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.events.names import EventPattern
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.receiver import Receiver
from tests.support.responses import problem_in
from tests.webhooks.conftest import Stage

PATH = "/webhooks/subscription"
URL = "https://hooks.example.com/sitewright?key=1"
REQUEST = {"event": "site.publish", "url": URL, "active": True}


async def create(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    response = await client.post(PATH, json=REQUEST | fields)
    assert response.status_code == 201, response.text
    created: dict[str, Any] = response.json()
    return created


async def test_a_new_subscription_is_returned_unwrapped(owner: httpx.AsyncClient) -> None:
    created = await create(owner)
    assert created == {"id": created["id"], "event": "site.publish", "url": URL, "active": True}
    assert isinstance(created["id"], int)
    assert (await owner.get(f"{PATH}/{created['id']}")).json() == created


async def test_the_list_contains_inactive_subscriptions_of_the_brand_only(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, system_owner: httpx.AsyncClient
) -> None:
    assert (await owner.get(PATH)).json() == {"subscriptions": []}
    mine = [await create(owner), await create(owner, active=0)]
    theirs = await create(other_brand)
    assert (await owner.get(PATH)).json() == {"subscriptions": mine}
    seen = await system_owner.get(PATH, headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert seen.json() == {"subscriptions": [theirs]}


async def test_an_update_sets_all_fields(owner: httpx.AsyncClient) -> None:
    created = await create(owner)
    requested = {"event": "site.publish", "url": "http://other.example:8443/x", "active": False}
    response = await owner.put(f"{PATH}/{created['id']}", json=requested)
    assert (response.status_code, response.json()) == (200, {"id": created["id"], **requested})
    assert (await owner.get(PATH)).json() == {"subscriptions": [response.json()]}


async def test_a_deleted_subscription_is_not_found(owner: httpx.AsyncClient) -> None:
    path = f"{PATH}/{(await create(owner))['id']}"
    assert (await owner.delete(path)).status_code == 204
    for response in (await owner.get(path), await owner.delete(path), await owner.put(path, json=REQUEST)):
        assert problem_in(response) == (404, "subscriptionNotFound")


@pytest.mark.parametrize("method", ["get", "put", "delete"])
@pytest.mark.parametrize("name", ["abc", "0", "-1", "1.0", "99999999999999999999", "999999"])
async def test_an_unknown_id_is_404_before_the_body_is_validated(
    owner: httpx.AsyncClient, method: str, name: str
) -> None:
    response = await owner.request(method, f"{PATH}/{name}", json={"event": 7} if method == "put" else None)
    assert problem_in(response) == (404, "subscriptionNotFound")


async def test_every_missing_field_is_reported(owner: httpx.AsyncClient) -> None:
    path = f"{PATH}/{(await create(owner))['id']}"
    for response in (await owner.post(PATH), await owner.post(PATH, json={}), await owner.put(path, json={})):
        assert problem_in(response) == (400, "invalidRequest")
        assert set(response.json()["errors"]) == {"event", "url", "active"}


@pytest.mark.parametrize("event", ["site.delete", "", "SITE.PUBLISH", "site.publish ", None, 1, ["site.publish"]])
async def test_no_other_event_can_be_subscribed_to(owner: httpx.AsyncClient, event: Any) -> None:
    response = await owner.post(PATH, json=REQUEST | {"event": event})
    assert problem_in(response) == (400, "invalidEvent")
    assert "site.publish" in response.json()["detail"]


@pytest.mark.parametrize("active", ["yes", 2, None, "", 1.0, []])
async def test_active_must_be_a_boolean(owner: httpx.AsyncClient, active: Any) -> None:
    response = await owner.post(PATH, json=REQUEST | {"active": active})
    assert problem_in(response) == (400, "invalidActive")


@pytest.mark.parametrize(
    "url",
    [
        "", "hooks.example", "/hook", "//hooks.example/", "ftp://hooks.example/", "file:///etc/passwd", "http:///x",
        "javascript:alert(1)", "http://", "https://ann:secret@hooks.example/", "https://ann@hooks.example/",
        "https://hooks.example\\@other.example/", "https://hooks.example/a b", "https://hooks.example/\r\nX: 1",
        "https://hooks.example:0/", "https://hooks.example:65536/", "https://hooks.example:x/", "https://höoks.example/",
        "https://[::1", "https://[1::2::3]/", "https://hooks.example/" + "x" * 2000, "https://x.example/\0", 7, None,
        # Addresses that are not allowed, in every notation
        "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
        "http://localhost/", "http://LOCALHOST:80/", "http://localhost./", "http://a.localhost/", "http://10.0.0.1/",
        "http://192.168.1.1:8080/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://[::]/",
        "http://[::ffff:127.0.0.1]/", "http://[fe80::1]/", "http://[fd00::1]/", "http://[64:ff9b::10.0.0.1]/",
        "http://[2002:a00:1::]/", "http://0.0.0.0/", "http://255.255.255.255/", "http://1.2.3/", "http://1.2.3.4.5/",
    ],
)  # fmt: skip
async def test_invalid_urls_are_refused(owner: httpx.AsyncClient, url: Any) -> None:
    response = await owner.post(PATH, json=REQUEST | {"url": url})
    assert problem_in(response) == (400, "invalidUrl")
    assert (await owner.get(PATH)).json() == {"subscriptions": []}


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example", "HTTPS://Hooks.Example/", "https://hooks.example:8443/a?b=c#d", "http://8.8.8.8/",
        "http://[2606:4700::1111]:80/", "https://xn--hks-0na.example/", "https://a_b.example/ü", "http://intranet/",
        "https://hooks.example/" + "x" * 1900,
    ],
)  # fmt: skip
async def test_a_url_is_stored_as_sent(owner: httpx.AsyncClient, url: str) -> None:
    assert (await create(owner, url=url))["url"] == url


async def test_resellers_have_no_webhooks(reseller: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    path = f"{PATH}/{(await create(owner))['id']}"
    for response in (
        await reseller.get(PATH),
        await reseller.post(PATH, json=REQUEST),
        await reseller.get(path),
        await reseller.put(path, json=REQUEST),
        await reseller.delete(path),
        await reseller.get(f"{path}/attempts"),
        await reseller.post(f"{path}/attempts/1/replay"),
    ):
        assert problem_in(response) == (403, "forbidden")


async def test_a_system_owner_names_the_brand(system_owner: httpx.AsyncClient) -> None:
    assert (await system_owner.post(PATH, json=REQUEST)).json()["code"] == "brandRequired"
    response = await system_owner.post(PATH, json=REQUEST, headers={"X-Brand-Ref": "999"})
    assert problem_in(response) == (404, "brandNotFound")


async def test_the_number_of_subscriptions_is_limited_also_for_concurrent_requests(
    owner: httpx.AsyncClient, stage: Stage
) -> None:
    await stage.rows.execute(
        "insert into webhook_subscriptions (brand_ref, event, url, destination, active, created_at, updated_at)"
        " select $1, 'site.publish', 'https://x.example/', 'x.example:443', false, now(), now()"
        " from generate_series(1, 999)",
        OWN_BRAND,
    )
    responses = await asyncio.gather(*(owner.post(PATH, json=REQUEST) for _ in range(5)))
    refusals = sorted(
        (response.status_code, response.json().get("code")) for response in responses if response.status_code != 201
    )
    assert refusals == [(403, "subscriptionLimitReached")] * 4
    assert await stage.rows.fetchval("select count(*) from webhook_subscriptions") == 1000


async def test_changes_are_audited_without_the_url(owner: httpx.AsyncClient, stage: Stage) -> None:
    path = f"{PATH}/{(await create(owner))['id']}"
    await owner.put(path, json=REQUEST | {"active": 0})
    await owner.delete(path)
    rows = await stage.rows.fetch(
        "select action, details from audit_entries where subject = 'webhook subscription' order by ref"
    )
    assert [row["action"] for row in rows] == ["create", "edit", "delete"]
    assert not any("hooks.example" in row["details"] for row in rows)


async def test_deliveries_of_an_inactive_subscription_are_held_until_it_is_active_again(
    owner: httpx.AsyncClient, stage: Stage, receiver: Receiver
) -> None:
    subscription = await stage.subscribe("https://old.example/")
    await stage.emit()
    await owner.put(f"{PATH}/{subscription}", json=REQUEST | {"active": False})
    await stage.emit()  # not delivered
    await stage.rows.execute("update webhook_subscriptions set url = $1, destination = 'local'", receiver.url)
    async with stage.worker():
        await stage.rows.execute("update webhook_subscriptions set active = true, updated_at = now()")
        await stage.recorded(1)
    assert [each.event["sequence"] for each in receiver.arrived] == [1]


async def test_deleting_a_subscription_deletes_its_deliveries(owner: httpx.AsyncClient, stage: Stage) -> None:
    subscription = await stage.subscribe("https://old.example/")
    await stage.emit()
    assert (await owner.delete(f"{PATH}/{subscription}")).status_code == 204
    assert await stage.deliveries() == []


async def test_a_subscription_that_is_active_again_does_not_wait_for_its_retry_delays(
    owner: httpx.AsyncClient, stage: Stage
) -> None:
    subscription = await stage.subscribe("https://old.example/")
    await stage.emit()
    await stage.rows.execute("update webhook_deliveries set due_at = now() + interval '1 hour'")
    for active in (True, False):
        await owner.put(f"{PATH}/{subscription}", json=REQUEST | {"active": active})
        assert await stage.rows.fetchval("select due_at > now() from webhook_deliveries") is True
    await owner.put(f"{PATH}/{subscription}", json=REQUEST | {"active": True})
    assert await stage.rows.fetchval("select due_at <= now() from webhook_deliveries") is True


async def test_deliveries_go_to_subscriptions_of_the_events_kind_and_to_patterns(stage: Stage) -> None:
    wanted: list[EventPattern] = ["site.publish", "site.*", "*", "user.*", "site.created"]
    refs = {event: await stage.subscribe("https://old.example/", event=event) for event in wanted}
    await stage.emit()
    matching = [refs["site.publish"], refs["site.*"], refs["*"]]
    assert [(row["subscription_ref"], row["sequence"]) for row in await stage.deliveries()] == [
        (ref, 1) for ref in matching
    ]
