"""Large bodies that are not cached: loaded once for all connections, and limited in total."""

import asyncio
import gc
import random
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from sitewright.edge import store
from sitewright.edge.app import SiteListener
from sitewright.edge.response import build_response
from sitewright.edge.shared_bodies import SHARED_BYTES, SharedBodies
from sitewright.kit.http.server import listen
from sitewright.kit.problems import Busy
from sitewright.kit.resources import Resources
from sitewright.sites.publishing.sitemap import sitemap
from tests.edge.conftest import SwappableListener
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of
from tests.support.eventually import eventually
from tests.support.serving import serve

GZIP, IDENTITY = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "identity"}
NOISE = {f"large-{number}": random.Random(number).randbytes(1_000_000).hex() for number in range(2)}  # noqa: S311
SITEMAP = sitemap([(f"page-{number}", "2026-01-02") for number in range(5_000)]).decode()


@pytest.fixture(scope="module", autouse=True)
def quick_collections() -> Iterator[None]:
    """The tests collect garbage until a body is free; what all other modules imported need not be looked at."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
async def large(shop: Shop, listener: SiteListener) -> Shop:
    """Two pages of 1.1 MB gzip each, too large for the cache."""
    await shop.publish(FILES | NOISE | {":sitemap": SITEMAP}, 2)
    listener.files._responses.capacity = 500_000
    return shop


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are read from the database."""
    paths, read_file = list[str](), store.read_file

    async def counted(tx: Any, site_ref: int, version_ref: int, path: str, *more: Any) -> Any:
        paths.append(path)
        return await read_file(tx, site_ref, version_ref, path, *more)

    monkeypatch.setattr(store, "read_file", counted)
    return paths


@pytest.fixture
async def slow_port(edge_server: tuple[SwappableListener, str], listener: SiteListener) -> AsyncIterator[int]:
    """The same listener on a port whose sockets buffer little, so that a slow reader holds the response."""
    listening = listen("127.0.0.1", 0)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    async with serve(edge_server[0], listening):
        yield int(listening.getsockname()[1])


@asynccontextmanager
async def reading_slowly(port: int, path: str, host: str = HOST, encoding: str = "gzip") -> AsyncIterator[bytes]:
    """A connection on which the beginning of the response was read, and nothing more."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(connection, ("127.0.0.1", port))
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: {encoding}\r\n\r\n"
        await loop.sock_sendall(connection, head.encode())
        yield await loop.sock_recv(connection, 100)


def is_free(listener: SiteListener) -> Callable[[], bool]:
    def check() -> bool:
        gc.collect()
        return listener.files.bodies.used == 0

    return check


@pytest.mark.usefixtures("large")
async def test_slow_clients_share_one_body(
    listener: SiteListener, visitor: Visitor, slow_port: int, reads: list[str]
) -> None:
    async with reading_slowly(slow_port, "/large-0") as first:
        assert first.startswith(b"HTTP/1.1 200")
        used = listener.files.bodies.used
        for _ in range(5):
            response = await visitor.get("/large-0", headers=GZIP)
            assert (kind_of(response), response.text == NOISE["large-0"]) == ((200, "page"), True)
        assert (await visitor.get("/large-0", headers=IDENTITY)).text == NOISE["large-0"]
        assert (reads, listener.files.bodies.used, used > 1_000_000) == (["large-0"], used, True)
    await eventually(is_free(listener))


@pytest.mark.usefixtures("large")
async def test_beyond_the_limit_only_large_pages_are_rejected(
    listener: SiteListener, visitor: Visitor, slow_port: int
) -> None:
    listener.files.bodies.max_bytes = 2_000_000
    async with reading_slowly(slow_port, "/large-0"):
        refused = await visitor.get("/large-1", headers=GZIP)
        assert (kind_of(refused), refused.headers["retry-after"]) == ((503, "offline"), "2")
        assert kind_of(await visitor.get("/large-0", headers=GZIP)) == (200, "page"), "in use already"
        assert (await visitor.get("/about")).text == FILES["about"], "no back-off: the database is available"
    await eventually(is_free(listener))
    assert (await visitor.get("/large-1", headers=GZIP)).text == NOISE["large-1"]


async def test_evicted_bodies_in_use_are_still_counted(listener: SiteListener, slow_port: int, large: Shop) -> None:
    listener.files._responses.capacity = 10_000_000
    async with reading_slowly(slow_port, "/large-0"):
        used = listener.files.bodies.used
        for key in list(listener.files._responses):
            listener.files._responses.evict(key)
        gc.collect()
        assert listener.files.bodies.used == used > 1_000_000


@pytest.mark.usefixtures("large")
async def test_sitemaps_at_any_port_are_shared_and_limited(
    listener: SiteListener, visitor: Visitor, slow_port: int
) -> None:
    listener.files.bodies.max_bytes = 700_000
    async with reading_slowly(slow_port, "/sitemap.xml", f"{HOST}:8001", "identity") as first:
        assert first.startswith(b"HTTP/1.1 200")
        used = listener.files.bodies.used
        same = await visitor.get("/sitemap.xml", f"{HOST}:8001", headers=IDENTITY)
        assert (same.status_code, f"<loc>http://{HOST}:8001/page-1</loc>" in same.text) == (200, True)
        assert listener.files.bodies.used == used > SHARED_BYTES
        assert kind_of(await visitor.get("/sitemap.xml", f"{HOST}:8002", headers=IDENTITY)) == (503, "offline")
    await eventually(is_free(listener))
    assert (await visitor.get("/sitemap.xml", f"{HOST}:8002", headers=IDENTITY)).status_code == 200


async def test_a_small_cache_still_allows_the_largest_page(resources: Resources) -> None:
    settings = msgspec.structs.replace(resources.settings, site_cache_mib=1, rendered_page_mib=40)
    listener = SiteListener(msgspec.structs.replace(resources, settings=settings))
    assert listener.files.bodies.max_body_bytes(1) > 2 * 40 * 1024 * 1024


def test_one_brand_cannot_use_the_whole_limit() -> None:
    bodies, body = SharedBodies(1000 * SHARED_BYTES), bytes(200 * SHARED_BYTES)
    held = [bodies.share(1, key, build_response(200, (), body)) for key in range(3)]
    with pytest.raises(Busy):
        bodies.share(1, "more", build_response(200, (), body))
    held.append(bodies.share(2, "of another", build_response(200, (), body)))
    assert bodies.used == 4 * len(body)
    part = memoryview(held[0].body)[:10]
    held.clear()
    assert (bodies.used, bytes(part)) == (len(body), bytes(10)), "a slice in a send buffer keeps the whole body alive"
    del part
    assert (bodies.used, bodies.find(0)) == (0, None)
