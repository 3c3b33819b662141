"""Calls that wait for events in a real API process: their memory, their connections, and how they end."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from tests.support.eventually import eventually
from tests.support.service import Service, owner_of, running_service
from tests.support.timeouts import HANG_SECONDS

CALLERS = 1000
MAX_BYTES = 100 * 1024 * 1024
CALLER_SECONDS = 60
SETTINGS = {"workers": 1, "connections_per_address": 0}
RESELLER = {"name": "R", "displayName": "R", "defaultCurrencyRef": 1, "defaultLanguageRef": 1}
BUSY = """
    select count(*) from pg_stat_activity
     where application_name like 'sitewright api%' and (state <> 'idle' or xact_start is not null)
"""


class Caller(msgspec.Struct):
    """A connection whose call waits."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def response(self) -> tuple[int, dict[str, object]]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0])
        body = await self.reader.readexactly(length)
        return int(head.split()[1]), msgspec.json.decode(body)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with running_service(tmp_path / "var", **SETTINGS) as running:
        yield running


@asynccontextmanager
async def waiting_call(service: Service, query: str) -> AsyncIterator[Caller]:
    basic = service.demo["brands"][0]["basic"]
    credentials = base64.b64encode(f"{basic['username']}:{basic['password']}".encode()).decode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(str(service.settings["api_port"])))
    request = f"GET /events?{query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {credentials}\r\n\r\n"
    writer.write(request.encode())
    try:
        yield Caller(reader, writer)
    finally:
        writer.close()


async def newest(service: Service) -> str:
    """The end of the feed, once the sequencer has numbered the events of the demo."""
    async with owner_of(service) as owner:

        async def is_numbered() -> bool:
            return not await owner.fetchval("select exists (select from event_inbox)")

        await eventually(is_numbered)
        return str(await owner.fetchval("select coalesce(max(last), 0) from event_sequences where brand_ref = 1"))


def resident_bytes(pid: int) -> int:
    return int((Path("/proc") / str(pid) / "statm").read_text().split()[1]) * 4096


async def test_a_thousand_waiting_calls_hold_no_connection_and_little_memory(service: Service) -> None:
    query = f"after={await newest(service)}&types=reseller.*&wait={CALLER_SECONDS}"
    [pid] = service.pids("api")
    async with AsyncExitStack() as stack, owner_of(service) as owner, service.client() as client:
        assert (await client.get("/events?wait=1&types=reseller.*&after=1")).status_code == 200
        before = resident_bytes(pid)
        callers = [await stack.enter_async_context(waiting_call(service, query)) for _ in range(CALLERS)]

        async def all_wait() -> bool:
            """The call of each was authenticated, and has read the feed: none uses the database any more."""
            return len(_sockets(pid)) >= CALLERS and await owner.fetchval(BUSY) == 0

        await eventually(all_wait)
        assert resident_bytes(pid) - before < MAX_BYTES
        created = await client.post("/brands/1/resellers", json=RESELLER)
        assert created.status_code in (200, 201), created.text
        responses = await asyncio.wait_for(asyncio.gather(*(each.response() for each in callers)), HANG_SECONDS)
    assert {status for status, _ in responses} == {200}
    names = {tuple(event["eventName"] for event in body["events"]) for _, body in responses}  # type: ignore[attr-defined]
    assert names == {("reseller.created",)}


def _sockets(pid: int) -> list[Path]:
    return [each for each in (Path("/proc") / str(pid) / "fd").iterdir() if "socket" in str(each.readlink())]


async def test_a_waiting_call_responds_at_once_when_the_service_stops(service: Service) -> None:
    end = await newest(service)
    async with waiting_call(service, f"after={end}&types=reseller.*&wait=60") as caller, owner_of(service) as owner:
        listening = "select exists (select from pg_stat_activity where application_name like 'sitewright feed%')"

        async def is_listening() -> bool:
            return bool(await owner.fetchval(listening))

        await eventually(is_listening)
        stopping = asyncio.create_task(service.stop())
        status, body = await asyncio.wait_for(caller.response(), HANG_SECONDS)
        assert (status, body["events"]) == (200, [])
    assert await stopping == 0
