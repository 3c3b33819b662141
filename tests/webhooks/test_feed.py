"""The event feed: in order, without gaps, filtered, and with long polling."""

import asyncio
import itertools
import random
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest
from oauthlib.oauth1 import Client

from sitewright.app import EVENT_KINDS, create_app
from sitewright.events import names, service
from sitewright.events.feed import service as feed
from sitewright.events.kinds import Event
from sitewright.kit import clock
from sitewright.kit.opened import Opened
from sitewright.kit.paging import MAX_LIST_BYTES
from sitewright.kit.resources import Resources
from sitewright.webhooks.feed.signals import signals_of
from sitewright.webhooks.sequencer.service import SEQUENCER
from tests.support import contract
from tests.support.cast import OTHER_BRAND, OWN_BRAND, Cast, SignedBy
from tests.support.eventually import eventually
from tests.support.responses import problem_in
from tests.support.sequencing import sequence_events
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection
from tests.webhooks.conftest import Stage

WRITERS, EVENTS_OF_EACH = 12, 25
WAIT_SECONDS = 60


async def emit(resources: Resources, *kinds: str, brand_ref: int = OWN_BRAND) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        await service.emit_many(tx, [Event(kind, {"accountHolder": {"ref": 1}}, clock.now()) for kind in kinds])


async def read(client: httpx.AsyncClient, **query: Any) -> tuple[list[dict[str, Any]], str]:
    response = await client.get("/events", params=query)
    assert response.status_code == 200, response.text
    return response.json()["events"], response.json()["next"]


@pytest.fixture
def stop_sequencer(resources: Resources) -> asyncio.Event:
    return asyncio.Event()


async def test_the_names_are_those_that_features_declare() -> None:
    assert sorted(names.NAMES) == sorted(EVENT_KINDS)
    assert set(names.PATTERNS) == {"*"} | {f"{name.partition('.')[0]}.*" for name in EVENT_KINDS}
    assert "site.publish" in names.names_matching("site.*")


async def test_events_are_read_page_by_page_in_order(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, *["user.created", "site.publish"] * 3)
    assert await read(owner) == ([], "0")
    await sequence_events(owner_connection)
    first, following = await read(owner, limit=4)
    rest, end = await read(owner, after=following, limit=4)
    assert [each["sequence"] for each in [*first, *rest]] == [1, 2, 3, 4, 5, 6]
    assert (following, end, await read(owner, after=end)) == ("4", "6", ([], "6"))
    for limit in (100, 1000, 5000):
        assert await read(owner, after=2, limit=limit) == ([*first, *rest][2:], "6")
    assert list(first[0]) == ["eventName", "id", "created", "accountHolder", "testMode", "sequence"]


@pytest.mark.parametrize("types", [None, "user.*"])
async def test_a_page_ends_before_it_is_too_large(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None, types: str | None
) -> None:
    """The event that reaches the limit is its last."""
    filler = "x" * (MAX_LIST_BYTES * 2 // 3)
    async with resources.database.transaction(OWN_BRAND) as tx:
        await service.emit_many(tx, [Event("user.created", {"filler": filler}, clock.now()) for _ in range(3)])
    await sequence_events(owner_connection)
    query = {} if types is None else {"types": types}
    first, following = await read(owner, **query)
    rest, end = await read(owner, after=following, **query)
    assert [[each["sequence"] for each in page] for page in (first, rest)] == [[1, 2], [3]]
    assert (following, end) == ("2", "3")


async def test_types_filter_by_name_and_pattern(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, "user.created", "site.publish", "site.created", "charge.created", "domain.mapped")
    await sequence_events(owner_connection)
    for types, expected in {
        "site.*": [2, 3],
        "user.created, charge.*": [1, 4],
        "*": [1, 2, 3, 4, 5],
        "mailbox.*": [],
    }.items():
        events, following = await read(owner, types=types)
        assert ([each["sequence"] for each in events], following) == (expected, "5"), types
    assert [each["sequence"] for each in (await read(owner, types="site.*", limit=1))[0]] == [2]


async def test_a_rare_type_is_found_although_a_call_reads_a_bounded_number(
    owner: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    clean: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed, "SCAN", 3)
    await emit(resources, *["user.created"] * 7, "site.publish")
    await sequence_events(owner_connection)
    following, found = "0", []
    for expected in ("3", "6", "8"):
        events, following = await read(owner, types="site.*", after=following)
        found += events
        assert following == expected
    assert [each["sequence"] for each in found] == [8]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"types": "user.made"}, "invalidTypes"),
        ({"types": "user*"}, "invalidTypes"),
        ({"types": ""}, "invalidTypes"),
        ({"after": "-1"}, "invalidAfter"),
        ({"after": "x"}, "invalidAfter"),
        ({"limit": 0}, "invalidLimit"),
        ({"limit": 5001}, "invalidLimit"),
        ({"wait": 61}, "invalidWait"),
        ({"deliveryFailed": "perhaps"}, "invalidDeliveryFailed"),
    ],
)
async def test_invalid_queries_are_refused(
    owner: httpx.AsyncClient, clean: None, query: dict[str, Any], code: str
) -> None:
    assert problem_in(await owner.get("/events", params=query)) == (400, code)


async def test_a_sequence_beyond_the_newest_counts_as_the_newest(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, "user.created")
    await sequence_events(owner_connection)
    assert await read(owner, after=99) == ([], "1")


async def make_old(owner_connection: OwnerConnection, *sequences: int) -> None:
    age = "at = at - interval '31 days', numbered_at = numbered_at - interval '31 days'"
    await owner_connection.execute(f"update events set {age} where sequence = any($1)", sequences)


async def test_deleted_events_are_gone_and_the_oldest_is_named(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, *["user.created"] * 5)
    await sequence_events(owner_connection)
    await make_old(owner_connection, 1, 3)
    await owner_connection.fetchval("select prune_webhooks(now() - interval '30 days', now(), 100)")
    response = await owner.get("/events", params={"after": 2})
    assert problem_in(response) == (410, "eventsGone")
    assert response.json()["current"] == {"oldestSequence": 4}
    assert "after=3" in response.json()["detail"]
    assert [each["sequence"] for each in (await read(owner, after=3))[0]] == [4, 5]
    assert [each["sequence"] for each in (await read(owner))[0]] == [4, 5]


@pytest.mark.parametrize("limit", [2, 3, 100])
async def test_a_page_never_skips_a_deleted_event(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None, limit: int
) -> None:
    """The second event outlives the third, as one does whose delivery is due."""
    await emit(resources, *["user.created"] * 5)
    await sequence_events(owner_connection)
    await make_old(owner_connection, 1, 3)
    await owner_connection.fetchval("select prune_webhooks(now() - interval '30 days', now(), 100)")
    assert problem_in(await owner.get("/events", params={"after": 1, "limit": limit})) == (410, "eventsGone")


async def test_events_that_a_subscription_missed(owner: httpx.AsyncClient, stage: Stage) -> None:
    for number in range(2):
        await stage.subscribe(f"https://receiver{number}.example/")
    for _ in range(4):
        await stage.emit()
    await stage.rows.execute("update webhook_deliveries set dead_at = now(), due_at = null where sequence in (2, 4)")
    events, following = await read(owner, deliveryFailed=1)
    assert ([each["sequence"] for each in events], following) == ([2, 4], "4")
    assert [each["sequence"] for each in (await read(owner, deliveryFailed=1, after=2))[0]] == [4]
    assert (await read(owner, deliveryFailed=1, types="user.*"))[0] == []


async def test_one_event_is_what_webhooks_deliver(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, "user.created")
    await sequence_events(owner_connection)
    stored: str = await owner_connection.fetchval("select body::text from events")
    assert (await owner.get("/events/1")).text == stored
    assert msgspec.json.decode(stored) == (await read(owner))[0][0]
    for missing in ("2", "x", "0"):
        assert problem_in(await owner.get(f"/events/{missing}")) == (404, "eventNotFound")


async def test_brands_read_their_own_events(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, "user.created", brand_ref=OTHER_BRAND)
    await sequence_events(owner_connection)
    assert await read(owner) == ([], "0")
    assert problem_in(await owner.get("/events/1")) == (404, "eventNotFound")


async def test_a_call_waits_for_the_next_event_without_a_database_connection(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    calls = [asyncio.create_task(read(owner, wait=60, types="site.*")) for _ in range(20)]
    signals = signals_of(resources)
    await eventually(lambda: len(signals._waiting.get(OWN_BRAND, ())) == 20)
    await eventually(lambda: resources.database.pool.idle == resources.database.pool.size)
    await emit(resources, "user.created")
    await sequence_events(owner_connection)
    await emit(resources, "site.publish")
    assert not any(call.done() for call in calls)
    await sequence_events(owner_connection)
    for events, following in await asyncio.wait_for(asyncio.gather(*calls), HANG_SECONDS):
        assert ([each["sequence"] for each in events], following) == ([2], "2")
    assert signals._waiting == {}


@pytest.mark.parametrize(
    "limits", [{"event_waiting_calls": 3}, {"event_waiting_calls_per_brand": 3}], ids=["process", "brand"]
)
async def test_calls_beyond_the_limit_do_not_wait(
    cast: Cast, base_url: str, resources: Resources, clean: None, limits: dict[str, int]
) -> None:
    settings = msgspec.structs.replace(resources.settings, **limits)
    limited = msgspec.structs.replace(resources, settings=settings, opened=Opened(), draining=asyncio.Event())
    transport = httpx.ASGITransport(create_app(limited))
    async with httpx.AsyncClient(transport=transport, base_url=base_url, event_hooks=contract.HOOKS) as client:

        async def get(path: str) -> httpx.Response:
            return await client.get(path, auth=SignedBy(cast.owner))

        calls = [asyncio.create_task(get("/events?wait=60")) for _ in range(3)]
        signals = signals_of(limited)
        await eventually(lambda: len(signals._waiting.get(OWN_BRAND, ())) == 3)
        refused = await get("/events?wait=60")
        assert problem_in(refused) == (503, "tooManyWaitingCalls")
        assert refused.headers["retry-after"] == "5"
        assert (await get("/events")).status_code == 200
        other = asyncio.create_task(client.get("/events?wait=60", auth=SignedBy(cast.other_brand)))
        if "event_waiting_calls" in limits:
            assert problem_in(await other) == (503, "tooManyWaitingCalls")
        else:
            await eventually(lambda: OTHER_BRAND in signals._waiting)
            calls.append(other)
        limited.draining.set()
        assert {(await each).status_code for each in calls} == {200}
        assert (await get("/events?wait=1")).status_code == 200
    await limited.opened.close()


async def test_a_call_whose_client_disconnects_ends(
    base_url: str, cast: Cast, resources: Resources, clean: None
) -> None:
    signals, url, path = signals_of(resources), httpx.URL(base_url), f"/events?wait={WAIT_SECONDS}"
    _, writer = await asyncio.open_connection(url.host, url.port)
    signed = Client(*msgspec.structs.astuple(cast.owner)).sign(f"{base_url}{path}")[1]
    headers = {"Host": url.netloc.decode()} | signed
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await eventually(lambda: signals._waiting)
    began = clock.stopwatch()
    writer.close()
    await eventually(lambda: not signals._waiting)
    assert clock.stopwatch() - began < WAIT_SECONDS


async def test_a_call_without_a_new_event_ends_after_its_time(owner: httpx.AsyncClient, clean: None) -> None:
    assert await read(owner, wait=1) == ([], "0")


async def test_waiting_calls_respond_when_the_process_is_to_end(
    owner: httpx.AsyncClient, resources: Resources, clean: None
) -> None:
    call = asyncio.create_task(read(owner, wait=60))
    signals = signals_of(resources)
    await eventually(lambda: signals._waiting)
    resources.draining.set()
    try:
        assert await asyncio.wait_for(call, HANG_SECONDS) == ([], "0")
    finally:
        resources.draining.clear()
        await signals.close()
        resources.opened._opened.pop(type(signals))


async def test_a_reader_that_follows_next_misses_nothing_while_writers_commit_late_and_out_of_order(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    """Writers hold their transactions open for a random time after they have emitted; some are rolled back."""
    chance, stopping, number = random.Random(7), asyncio.Event(), itertools.count()  # noqa: S311 - the same every time
    committed: set[int] = set()

    async def write() -> None:
        for _ in range(EVENTS_OF_EACH):
            mark, is_lost = next(number), chance.random() < 0.1
            try:
                async with resources.database.transaction(OWN_BRAND) as tx:
                    await service.emit(tx, "user.created", {"accountHolder": {"ref": mark}}, clock.now())
                    await asyncio.sleep(chance.random() * 0.1)
                    await tx.execute("select 1 / $1::integer", int(not is_lost))
                committed.add(mark)
            except asyncpg.DivisionByZeroError:
                assert is_lost

    async def follow() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        following = "0"
        while not (stopping.is_set() and len(found) >= len(committed)):
            events, following = await read(owner, after=following, limit=chance.randint(1, 50), wait=1)
            found += events
        return found

    sequencers = [asyncio.create_task(SEQUENCER.run(resources, stopping)) for _ in range(2)]
    readers = [asyncio.create_task(follow()) for _ in range(3)]
    await asyncio.gather(*(write() for _ in range(WRITERS)))
    await eventually(lambda: _is_numbered(owner_connection))
    stopping.set()
    await asyncio.gather(*sequencers)
    for found in await asyncio.wait_for(asyncio.gather(*readers), HANG_SECONDS):
        assert [each["sequence"] for each in found] == list(range(1, len(committed) + 1))
        marks = [each["accountHolder"]["ref"] for each in found]
        assert sorted(marks) == sorted(committed)
        assert marks != sorted(marks), "they committed in another order than they emitted"


async def _is_numbered(owner: OwnerConnection) -> bool:
    return not await owner.fetchval("select exists (select from event_inbox)")


async def test_a_waiting_call_reads_on_to_what_is_there_already(
    owner: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    clean: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each page looks at some events only; none of the first has the wanted kind."""
    monkeypatch.setattr(feed, "SCAN", 3)
    await emit(resources, *["user.created"] * 7, "site.publish")
    await sequence_events(owner_connection)
    async with asyncio.timeout(WAIT_SECONDS / 2):
        found, _ = await read(owner, types="site.*", after="0", wait=WAIT_SECONDS)
    assert [each["sequence"] for each in found] == [8]
