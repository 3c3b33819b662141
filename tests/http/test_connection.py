"""Bytes on one connection: heads and bodies sent together, and nothing held back that a client waits for."""

import asyncio
import base64
from urllib.parse import urlsplit

import httpx
import pytest

from sitewright.app import create_app
from sitewright.kit.http.connection import PROCESSING, Gathering
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND, Cast
from tests.support.wire import exchange, status_of

LIVE = "/health/live"


async def test_pipelined_requests_are_answered_in_order(base_url: str, clean: None) -> None:
    request = f"HEAD {LIVE} HTTP/1.1\r\nHost: x\r\n\r\nGET {LIVE} HTTP/1.1\r\nHost: x\r\n\r\n"
    request += f"HEAD {LIVE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = await exchange(base_url, request.encode())
    assert answer.count(b"HTTP/1.1 200 OK") == 3
    assert answer.count(b'{"status":"live"}') == 1
    assert answer.endswith(b"\r\n\r\n")


async def test_a_client_that_waits_for_100_continue_gets_it_at_once(base_url: str, cast: Cast, clean: None) -> None:
    address = urlsplit(base_url)
    basic = base64.b64encode(":".join(cast.owner_operator).encode()).decode()
    head = f"POST /probe/optional HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\nConnection: close\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    async with asyncio.timeout(5):
        writer.write(head.encode())
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"{}")
        assert status_of(await reader.read()) == 200
    writer.close()


async def test_an_answer_leaves_in_one_piece(base_url: str, cast: Cast, clean: None) -> None:
    address = urlsplit(base_url)
    basic = base64.b64encode(":".join(cast.owner_operator).encode()).decode()
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    head = f"GET /brands/{OWN_BRAND}/languages HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\n\r\n"
    writer.write(head.encode())
    async with asyncio.timeout(5):
        first_piece = await reader.read(65536)
    writer.close()
    assert first_piece.startswith(b"HTTP/1.1 200 OK")
    assert first_piece.endswith(b"]}")


async def test_a_body_that_is_cut_off_is_no_bug(base_url: str, clean: None) -> None:
    """The connection ends in the middle of the body: the server goes on."""
    address = urlsplit(base_url)
    _, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(b"POST /probe HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    await writer.drain()
    writer.close()
    answer = await exchange(base_url, f"GET {LIVE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert status_of(answer) == 200


class Written:
    """A transport that remembers what was written."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)


def test_a_body_cannot_pass_for_an_interim_answer() -> None:
    written = Written()
    gathering = Gathering(written)  # type: ignore[arg-type]
    for piece in (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 100 evil"):
        gathering.write(piece)
    assert written.pieces == [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 evil"]


@pytest.mark.parametrize(
    ("head", "before"),
    [(b"HTTP/1.1 202 Accepted\r\n\r\n", PROCESSING), (b"HTTP/1.1 202 Accepted\r\nconnection: close\r\n\r\n", b"")],
)
def test_a_102_leaves_with_its_answer_unless_that_is_the_last(head: bytes, before: bytes) -> None:
    """As it is for HTTP/1.0, or while the server stops: a client that takes the 102 for the answer would not know."""
    written = Written()
    gathering = Gathering(written)  # type: ignore[arg-type]
    gathering.announce_processing()
    gathering.write(head)
    gathering.write(b"")
    assert written.pieces == [before + head]


async def test_half_a_header_at_the_stop_cuts_nobody_off(resources: Resources, cast: Cast, clean: None) -> None:
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = server_for(create_app(resources))
    serving = asyncio.create_task(server._serve([listener]))
    _, half = await asyncio.open_connection("127.0.0.1", port)
    half.write(b"GET / HTTP/1.1\r\nHost: ")
    await half.drain()
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", auth=cast.owner_operator, trust_env=False
    ) as client:
        assert (await client.get(LIVE)).status_code == 200
        server.should_exit = True
        await asyncio.sleep(0.2)
        assert (await client.get(f"/brands/{OWN_BRAND}/languages")).status_code == 200
    await asyncio.wait_for(serving, 10)
    half.close()


@pytest.mark.parametrize("part", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
async def test_whoever_never_finishes_its_headers_is_let_go(resources: Resources, clean: None, part: bytes) -> None:
    """Though it sends a little more all the time."""
    listener, server = listen("127.0.0.1", 0), server_for(create_app(resources))
    server.config.timeout_keep_alive = 1
    serving = asyncio.create_task(server._serve([listener]))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(part)
    ending = asyncio.create_task(reader.read())
    async with asyncio.timeout(60):
        while not ending.done():
            if part:
                writer.write(b"x")
            await asyncio.wait((ending,), timeout=0.1)
    writer.close()
    server.should_exit = True
    await serving
