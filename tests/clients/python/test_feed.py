"""The feed is followed without losing an event, over restarts of the reader and of the service.

The server is a small one with the shape of `GET /events`: it disconnects, is away and returns at will. The feed of the
service itself is read in test_service_feed.py.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from sitewright_client import AsyncClient, Basic, Client, EventsGone, FilePosition, MemoryPosition
from sitewright_client.operations import list_events
from tests.clients.python.conftest import AT_ONCE
from tests.support.receiver import Arrived, Receiver, Reply, open_receiver, reply

AUTH = Basic("ann", "password")


class FeedServer:
    """Holds `count` events, of which every third is of another type."""

    def __init__(self, receiver: Receiver) -> None:
        self.receiver = receiver
        self.count = 0
        self.oldest = 1
        self.failures: list[Reply] = []
        self.queries: list[dict[str, str]] = []
        receiver.respond = self.respond

    @property
    def url(self) -> str:
        return self.receiver.url.removesuffix("/hook")

    def respond(self, arrived: Arrived) -> Reply:
        query = {name: values[0] for name, values in parse_qs(urlsplit(arrived.path).query).items()}
        self.queries.append(query)
        if self.failures:
            return self.failures.pop(0)
        after = int(query.get("after", "0"))
        if after + 1 < self.oldest:
            problem = {"code": "eventsGone", "status": 410, "detail": "", "current": {"oldestSequence": self.oldest}}
            return reply(410, msgspec.json.encode(problem), content_type="application/problem+json")
        page = range(after + 1, min(after + int(query["limit"]), self.count) + 1)
        wanted = [number for number in page if query.get("types", "*") == "*" or number % 3]
        events = [{"eventName": "user.created", "sequence": number} for number in wanted]
        return reply(200, msgspec.json.encode({"events": events, "next": str(max(page, default=after))}))


@pytest.fixture
async def feed() -> AsyncIterator[FeedServer]:
    async with open_receiver() as receiver:
        yield FeedServer(receiver)


async def read(feed: FeedServer, position: FilePosition | MemoryPosition, **options: object) -> list[int]:
    async with AsyncClient(feed.url, AUTH, retries=AT_ONCE) as client:
        events = client.events(position, limit=4, follow=False, **options)  # type: ignore[arg-type] # options of events
        return [event["sequence"] async for event in events]


async def test_every_event_in_order(feed: FeedServer, tmp_path: Path) -> None:
    feed.count = 10
    position = FilePosition(tmp_path / "position")
    assert await read(feed, position) == list(range(1, 11))
    assert await read(feed, position) == []
    feed.count = 12
    assert await read(feed, FilePosition(tmp_path / "position")) == [11, 12]


async def test_the_service_goes_away_and_returns(feed: FeedServer) -> None:
    feed.count = 6
    feed.failures = [None, reply(503, retry_after="0"), None, reply(502)] * 5
    assert await read(feed, MemoryPosition()) == [1, 2, 3, 4, 5, 6]


async def test_a_reader_that_is_stopped_gets_the_unfinished_event_again(feed: FeedServer, tmp_path: Path) -> None:
    feed.count = 9
    handled = []
    for _ in range(3):
        async with AsyncClient(feed.url, AUTH, retries=AT_ONCE) as client:
            async for event in client.events(FilePosition(tmp_path / "position"), limit=4):
                handled.append(event["sequence"])
                if event["sequence"] % 3 == 0 and handled.count(event["sequence"]) == 1:
                    break  # as if it were killed: the event is not finished
    assert handled == [1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9]


async def test_a_reader_without_an_event_loop(feed: FeedServer, tmp_path: Path) -> None:
    def numbers() -> list[int]:
        with Client(feed.url, AUTH, retries=AT_ONCE) as client:
            events = client.events(FilePosition(tmp_path / "position"), types=["user.*", "site.*"], follow=False)
            return [event["sequence"] for event in events]

    feed.count = 6
    assert await asyncio.to_thread(numbers) == [1, 2, 4, 5]
    assert feed.queries[0] == {"types": "user.*,site.*", "limit": "100", "wait": "0"}
    assert (tmp_path / "position").read_text() == "6\n", "events of other types are passed over for good"


async def test_pages_without_wanted_events_are_not_the_end(feed: FeedServer) -> None:
    feed.count = 8
    async with AsyncClient(feed.url, AUTH, retries=AT_ONCE) as client:
        events = client.events(MemoryPosition(2), types=["user.*"], limit=1, follow=False)
        assert [event["sequence"] async for event in events] == [4, 5, 7, 8]


async def test_it_waits_for_new_events(feed: FeedServer) -> None:
    feed.count = 1
    async with AsyncClient(feed.url, AUTH, retries=AT_ONCE) as client:
        events = client.events(MemoryPosition(), wait=25)
        assert (await anext(events))["sequence"] == 1
        feed.count = 2
        assert (await anext(events))["sequence"] == 2
    assert {query["wait"] for query in feed.queries} == {"25"}


async def test_events_that_are_no_longer_kept(feed: FeedServer) -> None:
    feed.count, feed.oldest = 9, 5
    with pytest.raises(EventsGone) as caught:
        await read(feed, MemoryPosition(2))
    assert caught.value.oldest_sequence == 5


def test_a_position_file_that_is_not_one(tmp_path: Path) -> None:
    (tmp_path / "position").write_text("latest")
    with pytest.raises(ValueError, match="does not hold the sequence"):
        FilePosition(tmp_path / "position").read()


def test_a_call_that_waits_may_take_longer_than_others() -> None:
    assert list_events(wait=60).timeout == 90
    assert list_events(wait=0).timeout is None
    assert list_events().timeout is None
