"""Clients that send or read too slowly are disconnected, and no address exceeds its connection limit."""

import asyncio
import socket
import ssl
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitewright.kit.http.connection import IDLE_GRACE_SECONDS
from sitewright.kit.http.limits import AddressLimit, Pace, WireLimits
from sitewright.kit.origin import Proxies
from tests.http.wire_stage import LARGE, Client, Play, Stage, play
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS
from tests.support.wire import status_of

__all__ = ["play"]
SOON = 0.3
MOST_UNSENT = 512 * 1024
QUICK = WireLimits(header_seconds=SOON, body=Pace(SOON, 1024), write=Pace(SOON, 1024**4), idle_seconds=SOON)
GET = b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
BODY = b"POST /sent HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


async def trickle(client: Client, piece: bytes) -> bytes:
    """Send `piece` every 50 ms until the server closes the connection; returns its response."""
    ending = asyncio.create_task(client.rest())
    async with asyncio.timeout(HANG_SECONDS):
        while not ending.done():
            await client.send(piece)
            await asyncio.wait((ending,), timeout=0.05)
    return ending.result()


@pytest.mark.parametrize("before", [b"", GET], ids=["new connection", "after a request"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_blank_lines_do_not_keep_a_connection_open(play: Play, scheme: str, before: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect(scheme)
        if before:
            await client.send(before)
            await client.response()
        assert await trickle(client, b"\r\n") == b""
        await eventually(lambda: stage.connections == 0)

    await play(scenario, QUICK)


@pytest.mark.parametrize("before", [b"", GET], ids=["new connection", "after a request"])
async def test_an_idle_connection_times_out(play: Play, before: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        if before:
            await client.send(before)
            await client.response()
        assert await client.rest() == b""

    await play(scenario, QUICK)


@pytest.mark.parametrize("before", [b"", GET], ids=["new connection", "after a request"])
async def test_slow_headers_time_out(play: Play, before: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        if before:
            await client.send(before)
            await client.response()
        await client.send(GET[:-2] + b"X-Slow: ")
        response = await trickle(client, b"a")
        assert status_of(response) == 408
        assert b'"code":"requestTimeout"' in response

    await play(scenario, QUICK)


async def test_headers_that_arrive_with_the_end_of_the_previous_body_have_the_same_timeout(play: Play) -> None:
    """One read has the end of a body, whose response was already sent, and the beginning of the next headers."""

    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(BODY.replace(b"/sent", b"/ignores-body"))
        await client.response()
        await client.send(b"0\r\n\r\n" + GET[:10])
        assert status_of(await client.rest()) == 408

    await play(scenario, WireLimits(header_seconds=SOON))


@pytest.mark.parametrize("piece", [b"1\r\na\r\n", b"1;", b"0\r\na: b\r\n"], ids=["chunks", "extension", "trailers"])
async def test_a_slow_body_times_out(play: Play, piece: bytes) -> None:
    """One byte now and then, or none at all but long chunk extensions."""

    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(BODY + piece)
        response = await trickle(client, b"a" if piece == b"1;" else piece if piece[:1] == b"1" else b"a: b\r\n")
        assert status_of(response) == 408
        assert b"\r\nconnection: close\r\n" in response

    await play(scenario, QUICK)


async def test_a_slow_body_that_is_discarded_times_out_too(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(BODY.replace(b"/sent", b"/ignores-body"))
        assert (await client.response())[1] == b"/ignores-body 0"
        assert await trickle(client, b"1\r\na\r\n") == b""

    await play(scenario, QUICK)


async def test_a_body_above_the_minimum_rate_may_take_longer(play: Play) -> None:
    """At the minimum rate each piece may take sixteen seconds; the whole body takes more than twice the timeout."""

    async def scenario(stage: Stage) -> None:
        client, piece = await stage.connect(), b"4000\r\n" + b"a" * 16384 + b"\r\n"
        await client.send(BODY + piece)
        for _ in range(20):
            await asyncio.sleep(SOON / 8)
            await client.send(piece)
        await client.send(b"0\r\n\r\n")
        assert (await client.response())[1] == b"/sent %d" % (21 * 16384)

    await play(scenario, QUICK)


@pytest.mark.parametrize("ending", [b"\r\n", b"Connection: close\r\n\r\n"], ids=["keep-alive", "close"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_response_that_is_not_read_times_out(play: Play, scheme: str, ending: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect(scheme)
        await client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n" + ending)
        await stage.app.began.wait()
        port = client.writer.get_extra_info("sockname")[1]
        await eventually(lambda: unsent_to(port) > 0)
        assert unsent_to(port) < MOST_UNSENT
        await eventually(lambda: stage.connections == 0)
        await eventually(lambda: unsent_to(port) == 0)

    await play(scenario, QUICK)


@pytest.mark.parametrize("requests", [1, 3])
async def test_aborting_a_response_logs_no_error(play: Play, requests: int, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect("http")
        await client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * requests)
        await eventually(lambda: stage.connections == 1)
        await eventually(lambda: stage.connections == 0)
        await asyncio.sleep(0.1)

    await play(scenario, QUICK)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def unsent_to(port: int) -> int:
    """Bytes that the kernel buffers for the client of this port, also after the server closed the connection."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(int(line[4].partition(":")[0], 16) for line in lines if line[2].endswith(f":{port:04X}"))


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_slow_reader_gets_the_whole_response(play: Play, scheme: str) -> None:
    """It takes longer than the timeout, but keeps reading."""

    async def scenario(stage: Stage) -> None:
        client = await stage.connect(scheme)
        await client.send(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        await client.reader.readuntil(b"\r\n\r\n")
        got = 0
        while piece := await client.reader.read(4 * 1024 * 1024):
            got += len(piece)
            if got < 8 * 1024 * 1024:
                await asyncio.sleep(0.02)
        assert got == len(LARGE)

    pace = Pace(SOON, 64 * 1024)
    await play(scenario, WireLimits(write=pace))


async def test_a_request_in_progress_has_no_timeout(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n" + GET[:10])
        await stage.app.began.wait()
        await asyncio.sleep(5 * SOON)
        stage.app.go.set()
        assert (await client.response())[1] == b"/held 0"
        assert status_of(await client.rest()) == 408

    await play(scenario, QUICK)


@pytest.mark.parametrize("further", [b"", GET[:10]], ids=["alone", "with the beginning of another"])
async def test_draining_waits_for_requests_in_progress(play: Play, further: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n" + further)
        await stage.app.began.wait()
        (connection,) = stage.server.server_state.connections
        connection.shutdown()
        await asyncio.sleep(IDLE_GRACE_SECONDS + SOON)
        stage.app.go.set()
        head, body = await client.response()
        assert (b"\r\nconnection: close\r\n" in head, body) == (True, b"/held 0")
        assert await client.rest() == b""

    await play(scenario)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_connections_per_address_are_limited(play: Play, scheme: str) -> None:
    async def scenario(stage: Stage) -> None:
        first = [await stage.connect(each) for each in ("http", "https", scheme)]
        for client in first:
            await client.send(GET)
            await client.response()
        assert await is_refused(stage, scheme)
        first[0].writer.close()
        await eventually(lambda: stage.connections == 2)
        assert not await is_refused(stage, scheme)
        await eventually(lambda: stage.connections == 3)

    await play(scenario, WireLimits(connections_per_address=3))


async def test_a_connection_reset_after_the_handshake_does_not_count(play: Play) -> None:
    """The server may accept the connection after its reset, when the client's address can no longer be read."""

    async def scenario(stage: Stage) -> None:
        for _ in range(30):
            await asyncio.to_thread(shake_hands_and_reset, stage.ports["https"])
        await eventually(lambda: stage.server._addresses._open == {})
        assert not await is_refused(stage, "https")

    await play(scenario, WireLimits(connections_per_address=50))


def shake_hands_and_reset(port: int) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port)) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        context.wrap_socket(raw, server_hostname="a.example").close()


async def is_refused(stage: Stage, scheme: str) -> bool:
    try:
        client = await stage.connect(scheme)
        await client.send(GET)
        await client.response()
    except (ConnectionError, asyncio.IncompleteReadError):
        return True
    return False


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_trusted_proxies_have_no_connection_limit(play: Play, scheme: str) -> None:
    async def scenario(stage: Stage) -> None:
        for _ in range(5):
            assert not await is_refused(stage, scheme)

    await play(scenario, WireLimits(connections_per_address=1), ["127.0.0.0/8"])


@pytest.fixture
def addresses() -> Iterator[AddressLimit]:
    limit = AddressLimit(2, Proxies([]))
    yield limit
    assert limit._open == {}


def test_closed_connections_do_not_count(addresses: AddressLimit) -> None:
    keys = [addresses.key_of(f"2001:db8::{number}") for number in range(2)]
    for key in keys:
        assert addresses.admits(key)
        addresses.add(key)
    assert not addresses.admits(addresses.key_of("2001:db8::99"))
    assert addresses.admits(addresses.key_of("2001:db8:0:1::1"))
    for key in keys:
        addresses.remove(key)


def test_releasing_a_connection_twice_counts_once(addresses: AddressLimit) -> None:
    """Both release it if a handshake is cancelled just as its connection is made."""
    first, second = addresses.count("192.0.2.7"), addresses.count("192.0.2.7")
    first.release()
    first.release()
    assert addresses._open == {"192.0.2.7": 1}
    second.release()


def test_refusals_are_logged_once_a_minute(addresses: AddressLimit, caplog: pytest.LogCaptureFixture) -> None:
    addresses.add("192.0.2.7")
    addresses.add("192.0.2.7")
    for now in (0.0, 1.0, 59.0, 61.0, 200.0):
        if now < 200:
            assert not addresses.admits("192.0.2.7")
        addresses.report(now)
    assert [record.fields["refused"] for record in caplog.records] == [1, 3]  # type: ignore[attr-defined]
    addresses.remove("192.0.2.7")
    addresses.remove("192.0.2.7")
