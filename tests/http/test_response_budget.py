"""Large responses that clients do not read use a bounded amount of memory."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from sitewright.kit.http.api_app import ApiApp
from sitewright.kit.http.call import Request
from sitewright.kit.http.response_budget import ResponseBudget
from sitewright.kit.http.responses import Response
from sitewright.kit.http.routing import Router
from sitewright.kit.http.server import listen
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from tests.support.eventually import eventually
from tests.support.serving import serve
from tests.support.timeouts import HANG_SECONDS

MIB = 1024 * 1024
SIZE = 8 * MIB


class Large(msgspec.Struct, frozen=True):
    """Responds with a new body each time, larger than the kernel's buffers."""

    method: str
    path: str = "/large"
    streams_body: bool = False

    async def handle(self, _request: Request, _refs: dict[str, Any], _resources: Resources) -> Response:
        return Response(200, bytes(SIZE), {})


Exchange = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def send_request(address: tuple[str, int], method: str = "GET") -> Exchange:
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, address)
    reader, writer = await asyncio.open_connection(sock=raw, limit=64 * 1024)
    writer.write(f"{method} /large HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
    return reader, writer


async def head_of(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(HANG_SECONDS):
        return await reader.readuntil(b"\r\n\r\n")


@asynccontextmanager
async def served(app: ApiApp) -> AsyncIterator[tuple[str, int]]:
    listener = listen("127.0.0.1", 0)
    async with serve(app, listener):
        yield listener.getsockname()


async def test_the_memory_of_unread_responses_is_limited(resources: Resources) -> None:
    app = ApiApp(Router([Large("GET"), Large("POST")]), resources)
    app._large_responses = budget = ResponseBudget(8 * SIZE)
    async with served(app) as address:
        unread = [await send_request(address) for _ in range(2)]
        await eventually(lambda: budget._held == {"127.0.0.1": 2 * SIZE})
        reader, writer = await send_request(address)
        refused = await reader.read()
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nretry-after: 5\r\n" in refused
        assert b'"code":"temporarilyUnavailable"' in refused
        done = await send_request(address, "POST")  # its work is committed, so its response is always sent
        assert (await head_of(done[0])).startswith(b"HTTP/1.1 200 ")
        assert len(await done[0].read()) == SIZE
        for _, each in (*unread, (reader, writer), done):
            each.transport.abort()
        await eventually(lambda: budget._held == {})
        reader, writer = await send_request(address)
        assert (await head_of(reader)).startswith(b"HTTP/1.1 200 ")
        assert len(await reader.read()) == SIZE
        writer.close()


def test_a_network_has_a_quarter_and_a_single_response_is_always_allowed() -> None:
    budget = ResponseBudget(100)
    budget.check("a", 1000)
    with budget.held("a", 20):
        budget.check("a", 5)
        with pytest.raises(Unavailable):
            budget.check("a", 6)
        budget.check("b", 80)
        with pytest.raises(Unavailable):
            budget.check("b", 81)
    budget.check("a", 1000)
