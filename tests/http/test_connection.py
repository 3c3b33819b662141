"""Bytes on one connection: heads and bodies are sent together, and nothing is delayed that a client waits for."""

import asyncio
import base64
from urllib.parse import urlsplit

import msgspec
import pytest

from sitewright.app import create_app
from sitewright.kit.http.limits import WireLimits
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.http.write_coalescing import PROCESSING, CoalescingTransport
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources
from tests.support import probe
from tests.support.cast import OWN_BRAND, Cast
from tests.support.http_clients import http_client
from tests.support.serving import serve
from tests.support.timeouts import HANG_SECONDS
from tests.support.wire import exchange, status_of

LIVE = "/health/live"


async def test_pipelined_requests_get_responses_in_order(base_url: str, clean: None) -> None:
    request = f"HEAD {LIVE} HTTP/1.1\r\nHost: x\r\n\r\nGET {LIVE} HTTP/1.1\r\nHost: x\r\n\r\n"
    request += f"HEAD {LIVE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    response = await exchange(base_url, request.encode())
    assert response.count(b"HTTP/1.1 200 OK") == 3
    assert response.count(b'{"status":"live"}') == 1
    assert response.endswith(b"\r\n\r\n")


async def test_a_client_that_waits_for_100_continue_gets_it_at_once(base_url: str, cast: Cast, clean: None) -> None:
    address = urlsplit(base_url)
    basic = base64.b64encode(":".join(cast.owner_operator).encode()).decode()
    head = f"POST /probe/optional HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\nConnection: close\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    async with asyncio.timeout(HANG_SECONDS):
        writer.write(head.encode())
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"{}")
        assert status_of(await reader.read()) == 200
    writer.close()


async def test_a_response_is_sent_in_one_write(base_url: str, cast: Cast, clean: None) -> None:
    address = urlsplit(base_url)
    basic = base64.b64encode(":".join(cast.owner_operator).encode()).decode()
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    head = f"GET /brands/{OWN_BRAND}/languages HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\n\r\n"
    writer.write(head.encode())
    async with asyncio.timeout(HANG_SECONDS):
        first_piece = await reader.read(65536)
    writer.close()
    assert first_piece.startswith(b"HTTP/1.1 200 OK")
    assert first_piece.endswith(b"]}")


async def test_a_truncated_body_is_no_internal_error(base_url: str, clean: None) -> None:
    """The connection ends in the middle of the body: the server continues."""
    address = urlsplit(base_url)
    _, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(b"POST /probe HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    await writer.drain()
    writer.close()
    response = await exchange(base_url, f"GET {LIVE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert status_of(response) == 200


class Written:
    """A transport that records what was written."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)

    def is_closing(self) -> bool:
        return False


def test_a_body_cannot_pass_for_an_interim_response() -> None:
    written = Written()
    transport = CoalescingTransport(written)  # type: ignore[arg-type]
    for piece in (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 100 evil"):
        transport.write(piece)
    assert written.pieces == [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 evil"]


@pytest.mark.parametrize(
    ("head", "before"),
    [(b"HTTP/1.1 202 Accepted\r\n\r\n", PROCESSING), (b"HTTP/1.1 202 Accepted\r\nconnection: close\r\n\r\n", b"")],
)
def test_a_102_is_sent_with_its_response_unless_the_connection_closes(head: bytes, before: bytes) -> None:
    """As for HTTP/1.0, or while the server stops: a client that takes the 102 for the response would not notice."""
    written = Written()
    transport = CoalescingTransport(written)  # type: ignore[arg-type]
    transport.announce_processing()
    transport.write(head)
    transport.write(b"")
    assert written.pieces == [before + head]


async def test_an_incomplete_header_at_the_stop_interrupts_no_request(
    resources: Resources, cast: Cast, clean: None
) -> None:
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = server_for(create_app(resources))
    serving = asyncio.create_task(server._serve([listener]))
    _, half = await asyncio.open_connection("127.0.0.1", port)
    half.write(b"GET / HTTP/1.1\r\nHost: ")
    await half.drain()
    async with http_client(f"http://127.0.0.1:{port}", auth=cast.owner_operator) as client:
        assert (await client.get(LIVE)).status_code == 200
        server.should_exit = True
        await asyncio.sleep(0.2)
        assert (await client.get(f"/brands/{OWN_BRAND}/languages")).status_code == 200
    await asyncio.wait_for(serving, HANG_SECONDS)
    half.close()


@pytest.mark.parametrize("part", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
async def test_incomplete_headers_time_out(resources: Resources, clean: None, part: bytes) -> None:
    """Even if it keeps sending a few bytes."""
    listener = listen("127.0.0.1", 0)
    async with serve(create_app(resources), listener, limits=WireLimits(header_seconds=0.5)):
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(part)
        ending = asyncio.create_task(reader.read())
        async with asyncio.timeout(HANG_SECONDS):
            while not ending.done():
                if part:
                    writer.write(b"x")
                await asyncio.wait((ending,), timeout=0.1)
        writer.close()


def by_basic(cast: Cast) -> str:
    return f"Authorization: Basic {base64.b64encode(':'.join(cast.owner_operator).encode()).decode()}\r\n"


async def test_a_scheme_in_a_trailer_is_ignored(resources: Resources, cast: Cast, clean: None) -> None:
    """Also from a trusted proxy."""
    trusting = msgspec.structs.replace(resources, proxies=Proxies(["127.0.0.0/8"]))
    head = f"PUT /probe/https HTTP/1.1\r\nHost: x\r\n{by_basic(cast)}Content-Type: application/json\r\n"
    head += "Connection: close\r\nTransfer-Encoding: chunked\r\n"
    trailer = "X-Forwarded-Proto: https\r\n"
    async with serve(create_app(trusting, probe.endpoints)) as url:
        for request, status in (
            (f"{head}{trailer}\r\n2\r\n{{}}\r\n0\r\n\r\n", 200),
            (f"{head}\r\n2\r\n{{}}\r\n0\r\n{trailer}\r\n", 403),
        ):
            assert status_of(await exchange(url, request.encode())) == status


async def test_a_slow_body_is_408_with_its_request_id(resources: Resources, cast: Cast, clean: None) -> None:
    impatient = msgspec.structs.replace(resources.settings, body_timeout_seconds=1)
    app = create_app(msgspec.structs.replace(resources, settings=impatient), probe.endpoints)
    head = (
        f"POST /probe/optional HTTP/1.1\r\nHost: x\r\n{by_basic(cast)}X-Request-Id: slow\r\nContent-Length: 9\r\n\r\n"
    )
    async with serve(app) as url:
        response = await exchange(url, head.encode() + b"{")
    assert status_of(response) == 408
    assert b'"instance":"slow","code":"requestTimeout"' in response
    assert b"\r\nconnection: close\r\n" in response


async def test_a_user_is_created_whatever_follows_the_body(base_url: str, cast: Cast, clean: None) -> None:
    """The caller gets the normal response; a 400 would make it retry."""
    body = '{"userRef": 1, "firstName": "Ann"}'
    head = f"POST /probe HTTP/1.1\r\nHost: x\r\n{by_basic(cast)}Content-Type: application/json\r\n"
    response = await exchange(base_url, f"{head}Content-Length: {len(body)}\r\n\r\n{body}}}\n\n".encode())
    assert (status_of(response), response.count(b"HTTP/1.1")) == (200, 1)
    assert b'"firstName":"Ann"' in response


async def test_two_hosts_are_a_bad_request(base_url: str, clean: None) -> None:
    response = await exchange(base_url, f"GET {LIVE} HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n".encode())
    assert status_of(response) == 400
    assert b'"code":"severalHosts"' in response


async def test_no_host_is_a_bad_request_but_for_http_1_0(base_url: str, clean: None) -> None:
    response = await exchange(base_url, f"GET {LIVE} HTTP/1.1\r\n\r\n".encode())
    assert status_of(response) == 400
    assert b'"code":"noHost"' in response
    response = await exchange(base_url, f"GET {LIVE} HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n".encode())
    assert status_of(response) == 200, "an empty one is allowed"
    assert status_of(await exchange(base_url, f"GET {LIVE} HTTP/1.0\r\n\r\n".encode())) == 200
