"""Bytes that no well-behaved client sends: trailers, more than one Host, and data after the end of a body."""

import asyncio

import pytest

from tests.http.wire_stage import LARGE, Play, Stage, play
from tests.support.eventually import eventually
from tests.support.wire import status_of

__all__ = ["play"]
CHUNKED = b"POST /sent HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKED += b"1\r\na\r\n"
POST = b"POST /sent HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na"
GET = b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
HELD = GET.replace(b"/next", b"/held")
READY = GET.replace(b"/next", b"/ready")
LONG_READY = READY[:-2] + b"X-Filler: " + b"x" * 1000 + b"\r\n\r\n"
GARBAGE = [b"more", b"}\r\n\r\n", b"\x00\xff", b"a" * 100_000, b"GET\r\n\r\n"]


async def test_trailers_are_not_headers(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(CHUNKED + b"0\r\nX-Forwarded-For: 192.0.2.66\r\nHost: other\r\nExpect: 100-continue\r\n\r\n")
        assert (await client.response())[1] == b"/sent 1"
        names = [b"host", b"x-forwarded-for", b"transfer-encoding"]
        assert stage.app.headers == list(zip(names, [b"x", b"192.0.2.1", b"chunked"], strict=True))
        await client.send(GET)
        assert (await client.response())[1] == b"/next 0"

    await play(scenario)


@pytest.mark.parametrize(("begin", "more"), [(b"", b"a: b\r\n" * 4096), (b"a: ", b"b" * 16384)])
async def test_trailers_are_limited_like_headers(play: Play, begin: bytes, more: bytes) -> None:
    """Many of them, and one that does not end. Ten MiB once took 200 MiB of memory."""

    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(CHUNKED + b"0\r\n" + begin)
        await stage.app.began.wait()
        for _ in range(40):
            await client.send(more)
        assert status_of(await client.rest()) == 431
        await eventually(lambda: stage.connections == 0)

    await play(scenario)


async def test_a_chunk_that_arrives_after_its_header_is_no_trailer(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(CHUNKED)
        for _ in range(4):
            await client.send(b"20000\r\n")
            await asyncio.sleep(0.02)
            await client.send(b"b" * 0x20000 + b"\r\n")
        await client.send(b"0\r\n\r\n")
        assert (await client.response())[1] == b"/sent %d" % (1 + 4 * 0x20000)

    await play(scenario)


@pytest.mark.parametrize("path", [b"/next", b"/ready"])
async def test_headers_that_arrive_at_once_are_limited_too(play: Play, path: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + b"A: bcdefgh\r\n" * 8192 + b"\r\n")
        assert status_of(await client.rest()) == 431
        assert stage.app.requested == []

    await play(scenario)


@pytest.mark.parametrize("before", [LONG_READY * 80, POST.replace(b": 1", b": 90001") + b"a" * 90_000])
async def test_preceding_bytes_do_not_count_as_headers(play: Play, before: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(before + GET[:-2])
        await eventually(lambda: len(stage.app.requested) == before.count(b"HTTP/1.1"))
        await client.send(b"Connection: close\r\n\r\n")
        responses = await client.rest()
        assert responses.count(b"HTTP/1.1 200 OK") == before.count(b"HTTP/1.1") + 1

    await play(scenario)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
@pytest.mark.parametrize("path", [b"/next", b"/ready"])
async def test_two_hosts_are_a_bad_request(play: Play, scheme: str, version: bytes, path: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect(scheme)
        await client.send(b"GET " + path + b" HTTP/" + version + b"\r\nHost: x\r\nA: b\r\nhOST: x\r\n\r\n")
        response = await client.rest()
        assert status_of(response) == 400
        assert b'"code":"severalHosts"' in response
        assert stage.app.requested == []

    await play(scenario)


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
async def test_invalid_bytes_after_a_body_do_not_replace_its_response(
    play: Play, garbage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(POST + garbage)
        head, body = await client.response()
        assert (status_of(head), body) == (200, b"/sent 1")
        assert b"\r\nconnection: close\r\n" in head
        assert await client.rest() == b""

    await play(scenario)
    assert [record for record in caplog.records if record.exc_info] == []


async def test_invalid_bytes_during_a_request_do_not_replace_its_response(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(HELD)
        await stage.app.began.wait()
        await client.send(b"not http at all\r\n\r\n")
        await client.send(GET)
        await eventually(lambda: stage.has_stopped_reading)
        stage.app.go.set()
        assert (await client.response())[1] == b"/held 0"
        assert (await client.rest(), stage.app.requested) == (b"", ["/held"])

    await play(scenario)
    assert [record for record in caplog.records if record.exc_info] == []


async def test_every_complete_request_gets_a_response(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(HELD + GET + POST + b"POST /cut HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz")
        await stage.app.began.wait()
        stage.app.go.set()
        assert [(await client.response())[1] for _ in range(3)] == [b"/held 0", b"/next 0", b"/sent 1"]
        assert await client.rest() == b""

    await play(scenario)


async def test_a_broken_body_is_a_bad_request(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(CHUNKED)
        await stage.app.began.wait()
        await client.send(b"no chunk\r\n")
        response = await client.rest()
        assert (status_of(response), response.count(b"HTTP/1.1")) == (400, 1)

    await play(scenario)


async def test_bytes_after_a_response_are_refused(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        for request in (READY, GET):
            await client.send(request)
            await client.response()
        await client.send(b"not http\r\n\r\n")
        assert status_of(await client.rest()) == 400

    await play(scenario)


LARGE_HELD = b"POST /held HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000
UPGRADE_HELD = HELD[:-2] + b"Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 100000\r\n\r\n"


@pytest.mark.parametrize("first", [HELD, LARGE_HELD, UPGRADE_HELD], ids=["no body", "a large body", "an upgrade"])
async def test_pipelining_is_limited(play: Play, first: bytes) -> None:
    """Each waiting request takes some kilobytes, and 9,000 fit into one read."""

    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        await client.send(first + GET * 3000 + GET[:-2])
        await eventually(lambda: stage.waiting > 0)
        assert stage.waiting < 500
        stage.app.go.set()
        for _ in range(3001):
            await client.response()
        await client.send(b"Connection: close\r\n\r\n")
        assert (await client.rest()).count(b"HTTP/1.1 200 OK") == 1
        assert stage.app.requested == ["/held"] + ["/next"] * 3001

    await play(scenario)


@pytest.mark.parametrize("path", [b"/next", b"/ready", b"/large"])
async def test_http_1_0_is_kept_alive_on_request(play: Play, path: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        for _ in range(2):
            await client.send(b"GET " + path + b" HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            head, body = await client.response()
            assert head.count(b"\r\nconnection: keep-alive\r\n") == 1
            assert body.startswith(path) or body == LARGE
        await client.send(b"GET " + path + b" HTTP/1.0\r\n\r\n")
        head, _ = await client.response()
        assert head.count(b"\r\nconnection: close\r\n") == 1
        assert await client.rest() == b""

    await play(scenario)


async def test_an_upgrade_that_is_not_offered_is_ignored(play: Play) -> None:
    async def scenario(stage: Stage) -> None:
        client = await stage.connect()
        upgrade = GET.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
        await client.send(upgrade + upgrade + READY)
        assert [(await client.response())[1] for _ in range(3)] == [b"/next 0", b"/next 0", b"/ready 0"]

    await play(scenario)
