"""Events, webhook subscriptions and attempts in the console: lists, pages, replay, and changes."""

import re
from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.operators import send
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn
from tests.webhooks.conftest import Stage

WEBHOOKS, ATTEMPTS, EVENTS = "/console/webhooks", "/console/webhooks/attempts", "/console/events"
URL = "https://hooks.example.com/sitewright"


@pytest.fixture
def stage(resources: Resources, owner_connection: OwnerConnection) -> Stage:
    return Stage(resources, owner_connection)


async def attempt(
    owner: OwnerConnection, subscription: int, sequence: int, outcome: str = "retrying", brand: int = 1
) -> int:
    """An attempt that was made an hour ago, with its outcome noted at the delivery."""
    at = clock.now() - timedelta(hours=1)
    columns = {"delivered": "delivered_at = $3, due_at = null", "dead": "dead_at = $3, due_at = null"}
    await owner.execute(
        f"update webhook_deliveries set attempts = attempts + 1, {columns.get(outcome, 'due_at = $3')}"
        " where subscription_ref = $1 and sequence = $2",
        subscription,
        sequence,
        at,
    )
    ref: int = await owner.fetchval(
        "insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, status,"
        " milliseconds, answer, error) values ($1, $2, $3, 1, $4, $5, $6, 12, $7, $8) returning ref",
        brand,
        subscription,
        sequence,
        at,
        outcome,
        200 if outcome == "delivered" else 500 if outcome == "dead" else None,
        None if outcome == "retrying" else "<b>sorry</b>",
        "connection refused" if outcome == "retrying" else None,
    )
    return ref


async def audited(owner: OwnerConnection) -> tuple[str, str, int]:
    row = await owner.fetchrow("select subject, action, subject_ref from audit_entries order by ref desc limit 1")
    assert row is not None
    return row["subject"], row["action"], row["subject_ref"]


async def test_lists_events_by_customer_and_site(
    admin: httpx.AsyncClient, stage: Stage, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources)
    site_ref = await make_site(owner_connection, resources, user_ref=user_ref)
    await make_domain(owner_connection, 1, site_ref, "shop.example")
    body: dict[str, Any] = {"site": {"ref": site_ref}, "accountHolder": {"ref": user_ref}}
    first, other = await stage.emit(**body), await stage.emit(site={"ref": 999_999})
    foreign = await stage.emit(2, secret="of the other brand")
    page = await admin.get(EVENTS)
    assert re.findall(r'href="/console/events/(\d+)"', page.text) == [str(other), str(first)]
    assert "shop.example" in page.text
    assert f'href="/console/customers/{user_ref}"' in page.text
    for query in (f"user={user_ref}", f"site={site_ref}", f"user={user_ref}&kind=site.publish"):
        filtered = await admin.get(f"{EVENTS}?{query}")
        assert re.findall(r'href="/console/events/(\d+)"', filtered.text) == [str(first)], query
    assert "Nothing matches" in page_text(await admin.get(f"{EVENTS}?kind=site.burn"))
    assert len((await admin.get(f"{EVENTS}.csv")).text.splitlines()) == 3
    missing = await admin.get(f"{EVENTS}/{foreign + 1000}")
    assert missing.status_code == 404


async def test_an_event_shows_its_payload_and_deliveries(
    admin: httpx.AsyncClient, log_in: LogIn, stage: Stage, owner_connection: OwnerConnection
) -> None:
    subscription = await stage.subscribe(URL)
    event = await stage.emit(note="<i>hello</i>")
    ref = await attempt(owner_connection, subscription, event, "dead")
    page = await admin.get(f"{EVENTS}/{event}")
    assert_loads_nothing_else(page)
    assert "&lt;i&gt;hello&lt;/i&gt;" in page.text
    assert URL in page.text
    assert "Failed" in page_text(page)
    assert f'action="{ATTEMPTS}/{ref}/replay"' in page.text
    assert "/replay" not in (await (await log_in("viewer")).get(f"{EVENTS}/{event}")).text


async def test_subscriptions_show_since_when_they_fail(
    admin: httpx.AsyncClient, stage: Stage, owner_connection: OwnerConnection
) -> None:
    good, bad, off = [await stage.subscribe(f"https://{name}.example/") for name in ("good", "bad", "off")]
    await stage.subscribe("https://foreign.example/", 2)
    await owner_connection.execute("update webhook_subscriptions set active = false where ref = $1", off)
    event = await stage.emit()
    await attempt(owner_connection, good, event, "delivered")
    await attempt(owner_connection, bad, event, "dead")
    page = await admin.get(WEBHOOKS)
    assert re.findall(r'href="/console/webhooks/(\d+)"', page.text) == [str(off), str(bad), str(good)]
    for state, ref in (("active", good), ("failed", bad), ("inactive", off)):
        filtered = await admin.get(f"{WEBHOOKS}?state={state}")
        assert re.findall(r'href="/console/webhooks/(\d+)"', filtered.text) == [str(ref)], state
    rows = (await admin.get(f"{WEBHOOKS}.csv?sort=ref")).text.splitlines()
    assert [row.split(",")[3] for row in rows[1:]] == ["active", "failed", "inactive"]
    assert [bool(row.split(",")[4]) for row in rows[1:]] == [False, True, False]


async def test_attempts_can_be_filtered(
    admin: httpx.AsyncClient, stage: Stage, owner_connection: OwnerConnection
) -> None:
    one, two = await stage.subscribe(URL), await stage.subscribe("https://two.example/")
    event = await stage.emit()
    good = await attempt(owner_connection, one, event, "delivered")
    bad = await attempt(owner_connection, two, event)
    today = f"{clock.now() - timedelta(hours=1):%Y-%m-%d}"
    for query, expected in (
        ("", [bad, good]),
        ("state=failed", [bad]),
        ("state=delivered", [good]),
        (f"subscription={one}", [good]),
        (f"event={event}&state=failed", [bad]),
        (f"from={today}", [bad, good]),
        ("to=2020-01-01", []),
    ):
        page = await admin.get(f"{ATTEMPTS}?{query}")
        assert re.findall(r'href="/console/webhooks/attempts/(\d+)"', page.text) == [str(ref) for ref in expected], (
            query
        )
    assert "connection refused" in (await admin.get(f"{ATTEMPTS}.csv?state=failed")).text
    assert (await admin.get(f"{ATTEMPTS}?from=x")).status_code == 400


async def test_an_attempt_shows_request_and_response_and_is_replayed(
    log_in: LogIn, stage: Stage, owner_connection: OwnerConnection
) -> None:
    support = await log_in("support")
    subscription = await stage.subscribe(URL)
    event = await stage.emit(versionRef=7)
    ref = await attempt(owner_connection, subscription, event, "dead")
    page = await support.get(f"{ATTEMPTS}/{ref}")
    assert_loads_nothing_else(page)
    text = page_text(page)
    assert "&lt;b&gt;sorry&lt;/b&gt;" in page.text
    assert f"POST {URL}" in text
    assert re.search(rf"msg_[0-9a-f]{{32}}_{subscription}", text)
    assert "versionRef" in text
    replayed = await send(support, f"{ATTEMPTS}/{ref}/replay")
    assert replayed.headers["location"] == f"{ATTEMPTS}/{ref}?done=replayed"
    assert "The event is being delivered again." in page_text(await support.get(replayed.headers["location"]))
    row = await owner_connection.fetchrow("select due_at, dead_at, attempts from webhook_deliveries")
    assert row is not None
    assert row["due_at"] is not None
    assert (row["dead_at"], row["attempts"]) == (None, 0)
    assert await audited(owner_connection) == ("webhook attempt", "replay", ref)


async def test_nothing_is_replayed_to_an_inactive_subscription(
    admin: httpx.AsyncClient, log_in: LogIn, stage: Stage, owner_connection: OwnerConnection
) -> None:
    subscription = await stage.subscribe(URL)
    ref = await attempt(owner_connection, subscription, await stage.emit(), "dead")
    await owner_connection.execute("update webhook_subscriptions set active = false")
    refused = await send(admin, f"{ATTEMPTS}/{ref}/replay")
    assert refused.status_code == 409
    assert "Resume it first." in page_text(refused)
    assert (await send(admin, f"{WEBHOOKS}/{subscription}/replay")).status_code == 409
    support = await log_in("support")
    assert "Resume deliveries" in page_text(await support.get(f"{WEBHOOKS}/{subscription}"))
    assert (await send(support, f"{WEBHOOKS}/{subscription}/resume")).status_code == 303
    assert await owner_connection.fetchval("select active from webhook_subscriptions")
    assert await audited(owner_connection) == ("webhook subscription", "resume", subscription)
    assert "Deliver all failed events again" in page_text(await support.get(f"{WEBHOOKS}/{subscription}"))
    assert (await send(support, f"{WEBHOOKS}/{subscription}/replay")).status_code == 303
    assert await owner_connection.fetchval("select count(*) from webhook_deliveries where dead_at is not null") == 0
    assert await audited(owner_connection) == ("webhook subscription", "replay dead", subscription)


async def test_creates_changes_and_deletes_a_subscription(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    created = await send(admin, f"{WEBHOOKS}/new", url=f" {URL} ", active="true")
    assert created.status_code == 303
    ref = int(created.headers["location"].removeprefix(f"{WEBHOOKS}/").partition("?")[0])
    page = await admin.get(created.headers["location"])
    assert "The subscription was created." in page_text(page)
    assert "There were no attempts yet." in page_text(page)
    assert (await send(admin, f"{WEBHOOKS}/{ref}/edit", url="https://other.example/")).status_code == 303
    row = await owner_connection.fetchrow("select url, active from webhook_subscriptions where ref = $1", ref)
    assert row is not None
    assert tuple(row) == ("https://other.example/", False)
    asked = await admin.get(f"{WEBHOOKS}/{ref}/delete")
    assert "cannot be undone" in page_text(asked)
    deleted = await send(admin, f"{WEBHOOKS}/{ref}/delete")
    assert "The subscription was deleted." in page_text(await admin.get(deleted.headers["location"]))
    assert (await admin.get(f"{WEBHOOKS}/{ref}")).status_code == 404


@pytest.mark.parametrize("url", ["", "nonsense", "https://127.0.0.1/", "ftp://hooks.example.com/"])
async def test_a_wrong_address_is_explained(admin: httpx.AsyncClient, stage: Stage, url: str) -> None:
    ref = await stage.subscribe(URL)
    for path in (f"{WEBHOOKS}/new", f"{WEBHOOKS}/{ref}/edit"):
        response = await send(admin, path, url=url, active="true")
        assert response.status_code == 400
        assert "Please enter the complete address of a public host" in page_text(response)
        assert f'value="{url}"' in response.text


async def test_the_secret_is_replaced_and_shown_once(admin: httpx.AsyncClient, stage: Stage) -> None:
    former = await stage.secret()
    assert "whsec_" not in (await admin.get(f"{WEBHOOKS}/secret")).text
    shown = await send(admin, f"{WEBHOOKS}/secret")
    assert shown.status_code == 200
    secret = await stage.secret()
    assert secret != former
    assert secret.replace("+", "&#43;") in shown.text or secret in shown.text
    assert former not in shown.text


async def test_only_those_with_the_right_change_or_retry(
    log_in: LogIn, stage: Stage, owner_connection: OwnerConnection
) -> None:
    subscription = await stage.subscribe(URL)
    ref = await attempt(owner_connection, subscription, await stage.emit(), "dead")
    one = f"{WEBHOOKS}/{subscription}"
    changes = [f"{WEBHOOKS}/new", f"{WEBHOOKS}/secret", f"{one}/edit", f"{one}/delete"]
    retries = [f"{ATTEMPTS}/{ref}/replay", f"{one}/resume", f"{one}/replay"]
    count = "select count(*) from audit_entries where subject like 'webhook%'"
    before = await owner_connection.fetchval(count)
    viewer, support = await log_in("viewer"), await log_in("support")
    for client, paths in ((viewer, changes + retries), (support, changes)):
        for path in paths:
            assert (await send(client, path, url=URL)).status_code == 403, path
    for path in (f"{WEBHOOKS}/new", f"{WEBHOOKS}/secret", f"{WEBHOOKS}/{subscription}/delete"):
        assert (await viewer.get(path)).status_code == 403
    page = await viewer.get(f"{WEBHOOKS}/{subscription}")
    assert page.status_code == 200
    assert "/replay" not in page.text
    assert "/edit" not in page.text
    assert "New subscription" not in (await viewer.get(WEBHOOKS)).text
    for path in retries:
        assert (await support.post(path, data={"token": ""})).status_code == 403, "without a token"
    assert await owner_connection.fetchval(count) == before


async def test_those_of_other_brands_do_not_exist(
    admin: httpx.AsyncClient, stage: Stage, owner_connection: OwnerConnection
) -> None:
    foreign = await stage.subscribe(URL, 2)
    ref = await attempt(owner_connection, foreign, await stage.emit(2), "dead", brand=2)
    for path in (f"{WEBHOOKS}/{foreign}", f"{WEBHOOKS}/{foreign}/delete", f"{ATTEMPTS}/{ref}", f"{EVENTS}/1"):
        assert (await admin.get(path)).status_code == 404, path
    for path in (f"{WEBHOOKS}/{foreign}/{do}" for do in ("edit", "delete", "resume", "replay")):
        assert (await send(admin, path, url=URL)).status_code == 404, path
    assert (await send(admin, f"{ATTEMPTS}/{ref}/replay")).status_code == 404


async def test_in_other_languages(admin: httpx.AsyncClient, stage: Stage, owner_connection: OwnerConnection) -> None:
    subscription = await stage.subscribe(URL)
    event = await stage.emit()
    ref = await attempt(owner_connection, subscription, event, "dead")
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in (
            WEBHOOKS, ATTEMPTS, EVENTS, f"{WEBHOOKS}/new", f"{WEBHOOKS}/secret", f"{WEBHOOKS}/{subscription}",
            f"{WEBHOOKS}/{subscription}/delete", f"{ATTEMPTS}/{ref}", f"{EVENTS}/{event}",
        ):  # fmt: skip
            page = await admin.get(path)
            assert page.status_code == 200, path
            assert f'<html lang="{language}">' in page.text
