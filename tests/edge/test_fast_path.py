"""Cached pages are sent without a task (the fast path), with the same bytes as on the slow path."""

import asyncio
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from sitewright.edge.app import SiteListener
from tests.edge.shops import FILES, HOST, Shop, Visitor
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS
from tests.support.wire import exchange, status_of

CLOSE = b"Connection: close\r\n"


def get(path: str, more: bytes = b"", method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\n".encode() + more + b"\r\n"


@pytest.fixture
def hits(listener: SiteListener, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For every eligible GET: whether the fast path had a response."""
    found: list[bool] = []
    monkeypatch.setattr(listener, "cached_response", recorded(listener.cached_response, found))
    return found


def recorded(cached_response: Callable[..., Any], hits: list[bool]) -> Callable[..., Any]:
    def wrapper(*arguments: Any) -> Any:
        ready = cached_response(*arguments)
        hits.append(ready is not None)
        return ready

    return wrapper


async def test_the_second_request_takes_the_fast_path_with_the_same_response(
    visitor: Visitor, hits: list[bool]
) -> None:
    first, second = [await visitor.get("/about") for _ in range(2)]
    assert hits == [False, True]
    for response in (first, second):
        assert response.headers.pop("x-request-id")
        assert response.headers.pop("date")
    assert (first.headers, first.text) == (second.headers, second.text)


@pytest.mark.parametrize(
    ("path", "more", "status"),
    [
        ("/about?x=1", b"", 200),
        ("/about", b"If-None-Match: *\r\n", 304),
        ("/about", b"Content-Length: 1\r\n", 200),
        ("/about", b"Transfer-Encoding: chunked\r\n", 200),
        ("/about", b"Accept-Encoding: gzip\r\n", 200),
        ("/About", b"", 200),
        ("/about/", b"", 301),
        ("/nothing", b"", 404),
    ],
)
async def test_any_difference_takes_the_slow_path(
    visitor: Visitor, hits: list[bool], path: str, more: bytes, status: int
) -> None:
    await exchange(visitor.base_url, get("/about", CLOSE))
    body = {b"Content-Length: 1\r\n": b"x", b"Transfer-Encoding: chunked\r\n": b"0\r\n\r\n"}.get(more, b"")
    response = await exchange(visitor.base_url, get("/about") + get(path, more) + body + get("/", CLOSE))
    assert (hits, status_of(response)) == ([True, False], 200)
    assert [int(each) for each in re.findall(rb"HTTP/1.1 (\d+) ", response)] == [200, status, 200]


async def test_two_hosts_are_rejected_after_the_fast_path(visitor: Visitor, hits: list[bool]) -> None:
    await exchange(visitor.base_url, get("/about", CLOSE))
    response = await exchange(visitor.base_url, get("/about") + get("/about", b"Host: shop.example\r\n") + get("/"))
    assert [int(each) for each in re.findall(rb"HTTP/1.1 (\d+) ", response)] == [200, 400]
    assert hits == [True]


async def test_pipelined_requests_get_responses_in_order(visitor: Visitor, hits: list[bool]) -> None:
    """Some take the fast path, others the slow path."""
    for path in ("/about", "/"):
        await exchange(visitor.base_url, get(path, CLOSE))
    paths = ["/about", "/food/menu", "/about", "/", "/nothing", "/", "/about"]
    response = await exchange(visitor.base_url, b"".join(get(path) for path in paths) + get("/", CLOSE))
    expected = [FILES.get(path[1:], FILES[":not-found"]) for path in [*paths, "/"]]
    assert re.findall(rb"<h1>.*?</h1>", response) == [text.encode() for text in expected]


async def test_a_client_that_does_not_read_meets_back_pressure(
    listener: SiteListener, visitor: Visitor, shop: Shop
) -> None:
    await shop.publish(FILES | {"large": "x" * 300_000}, 2)
    await exchange(visitor.base_url, get("/large", CLOSE))
    address = urlsplit(visitor.base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(get("/large") * 200)
    await asyncio.sleep(0.3)
    response = await exchange(visitor.base_url, get("/about", CLOSE))
    assert status_of(response) == 200
    async with asyncio.timeout(HANG_SECONDS):
        received = 0
        while received < 200 * 300_000:
            received += len(await reader.read(1 << 20))
    writer.close()


async def test_head_and_closing_connections_take_the_slow_path(visitor: Visitor, hits: list[bool]) -> None:
    await exchange(visitor.base_url, get("/about", CLOSE))
    head = await exchange(visitor.base_url, get("/about", CLOSE, "HEAD"))
    assert head.endswith(b"\r\n\r\n")
    closing = await exchange(visitor.base_url, get("/about", CLOSE))
    assert b"connection: close" in closing.lower()
    assert hits == []


async def test_a_publish_invalidates_the_fast_path(notified: SiteListener, visitor: Visitor, shop: Shop) -> None:
    for _ in range(3):
        assert (await visitor.get("/about")).text == FILES["about"]
    await shop.publish(FILES | {"about": "new"}, 2)

    async def is_new() -> bool:
        return (await visitor.get("/about")).text == "new"

    await eventually(is_new)


async def test_a_redirecting_site_has_no_fast_path(listener: SiteListener, visitor: Visitor, shop: Shop) -> None:
    for _ in range(2):
        await visitor.get("/about")
    await shop.set(protocol="https")
    listener.sites.on_notification(str(shop.ref))
    assert (await visitor.get("/about")).status_code == 301
