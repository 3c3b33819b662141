"""The bytes of a pending response: `102` and a whole `202` in one write, on a connection that stays open."""

import asyncio
import base64
import re
from urllib.parse import urlsplit

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.reports.support import generate_all, request_report
from tests.support.cast import Cast
from tests.support.serving import serving
from tests.support.timeouts import HANG_SECONDS
from tests.support.wire import exchange

PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
ACCEPTED = b"HTTP/1.1 202 Accepted\r\n"
LIVE = "GET /health/live HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture
async def request_head(owner: httpx.AsyncClient, cast: Cast) -> str:
    """The head of a request for a pending report, without the blank line at its end."""
    path = await request_report(owner)
    basic = base64.b64encode(":".join(cast.owner_operator).encode()).decode()
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\n"


async def first_read(base_url: str, request: str) -> bytes:
    """Return what one read returns of a response on a connection that stays open."""
    address = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(request.encode())
    async with asyncio.timeout(HANG_SECONDS):
        got = await reader.read(65536)
    writer.close()
    return got


async def test_the_bytes(base_url: str, request_head: str) -> None:
    got = await first_read(base_url, f"{request_head}X-Request-Id: mine\r\n\r\n")
    assert (
        got
        == (
            b"HTTP/1.1 102 Processing\r\n"
            b"\r\n"
            b"HTTP/1.1 202 Accepted\r\n" + re.search(rb"date: [^\r]+\r\n", got)[0] + b"retry-after: 2\r\n"  # type: ignore[index]
            b"content-length: 0\r\n"
            b"x-content-type-options: nosniff\r\n"
            b"x-frame-options: DENY\r\n"
            b"referrer-policy: no-referrer\r\n"
            b"content-security-policy: default-src 'none'; frame-ancestors 'none'\r\n"
            b"cache-control: no-store\r\n"
            b"x-api-version: 7.106\r\n"
            b"x-request-id: mine\r\n"
            b"\r\n"
        )
    )


async def test_head_gets_the_same_response(base_url: str, request_head: str) -> None:
    got = await first_read(base_url, request_head.replace("GET", "HEAD") + "\r\n")
    assert got.startswith(PROCESSING + ACCEPTED)
    assert got.endswith(b"\r\n\r\n")


async def test_pipelined_requests_get_responses_in_order(base_url: str, request_head: str) -> None:
    """Sent all at once, which is the hardest for a server."""
    requests = [f"{request_head}X-Request-Id: {number}\r\n\r\n" for number in range(3)]
    last = f"{LIVE}X-Request-Id: 3\r\nConnection: close\r\n\r\n"
    got = await exchange(base_url, "".join([*requests, last]).encode())
    assert got.count(PROCESSING + ACCEPTED) == 3
    assert re.findall(rb"x-request-id: (\d)", got) == [b"0", b"1", b"2", b"3"]
    assert got.endswith(b'{"status":"live"}')


@pytest.mark.parametrize(("header", "returned"), [("", b"close"), ("Connection: keep-alive\r\n", b"keep-alive")])
async def test_http_1_0_gets_the_202_alone(base_url: str, request_head: str, header: str, returned: bytes) -> None:
    got = await first_read(base_url, request_head.replace("HTTP/1.1", "HTTP/1.0") + header + "\r\n")
    assert got.startswith(ACCEPTED)
    assert b" 102 " not in got
    assert b"\r\nconnection: " + returned + b"\r\n" in got


async def test_a_connection_that_closes_gets_the_202_alone(base_url: str, request_head: str) -> None:
    """A client that takes the 102 for the response would not know that it closes."""
    got = await exchange(base_url, f"{request_head}Connection: close\r\n\r\n".encode())
    assert got.startswith(ACCEPTED)
    assert b"connection: close\r\n" in got


@pytest.mark.parametrize("header", ["", "X-Forwarded-For: 203.0.113.9\r\n", "X-Forwarded-Proto: https\r\n"])
async def test_behind_a_trusted_proxy_the_202_comes_alone(resources: Resources, request_head: str, header: str) -> None:
    async with serving(resources, trusted_proxies=["127.0.0.0/8"]) as url:
        assert (await first_read(url, f"{request_head}{header}\r\n")).startswith(ACCEPTED)


@pytest.mark.parametrize("header", ["Via: 1.1 somewhere", "X-Forwarded-For: 203.0.113.9", "Forwarded: for=x"])
async def test_an_unlisted_proxy_gets_no_102_either(base_url: str, request_head: str, header: str) -> None:
    assert (await first_read(base_url, f"{request_head}{header}\r\n\r\n")).startswith(ACCEPTED)


@pytest.mark.parametrize(
    ("pending_status", "header", "begins"),
    [
        ("auto", "", PROCESSING + ACCEPTED),
        ("102+202", "", PROCESSING + ACCEPTED),
        ("102+202", "Via: 1.1 somewhere\r\n", PROCESSING + ACCEPTED),
        ("202", "", ACCEPTED),
    ],
)
async def test_the_operator_may_choose(
    resources: Resources, request_head: str, pending_status: str, header: str, begins: bytes
) -> None:
    async with serving(resources, pending_status=pending_status, trusted_proxies=["10.0.0.0/8"]) as url:
        assert (await first_read(url, f"{request_head}{header}\r\n")).startswith(begins)


async def test_a_finished_report_is_a_plain_response(base_url: str, request_head: str, resources: Resources) -> None:
    await generate_all(resources)
    assert (await first_read(base_url, f"{request_head}\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
