"""Pages that are small as gzip and large without it are decompressed as a stream, without blocking others."""

import asyncio
import gzip
import hashlib
import random
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from sitewright.edge import decompression
from sitewright.edge.app import SiteListener
from sitewright.edge.decompression import Decompressor, decompressed_size
from sitewright.edge.file_cache import MAX_PLAIN_BYTES
from tests.edge.shops import FILES, HOST, Shop, Visitor, tag_of
from tests.support.eventually import eventually

LARGE = "<p>all the same</p>" * 400_000
MIB = 1024 * 1024
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture
async def large(shop: Shop) -> Shop:
    await shop.publish(FILES | {"large": LARGE}, 2)
    return shop


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The length of each chunk that the listener decompressed."""
    chunks, made = decompression._chunks, list[int]()

    def counted(body: bytes) -> Iterator[bytes]:
        for chunk in chunks(body):
            made.append(len(chunk))
            yield chunk

    monkeypatch.setattr(decompression, "_chunks", counted)
    return made


@asynccontextmanager
async def requesting(visitor: Visitor, path: str) -> AsyncIterator[asyncio.StreamReader]:
    """A connection that has requested the page without gzip, and has read nothing yet."""
    url = urlsplit(visitor.base_url)
    reader, writer = await asyncio.open_connection(url.hostname, url.port, limit=1024)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
    try:
        yield reader
    finally:
        writer.close()


@pytest.mark.usefixtures("large")
async def test_a_large_page_without_gzip_is_complete(visitor: Visitor) -> None:
    for _ in range(2):
        response = await visitor.get("/large", headers=PLAIN)
        assert (response.status_code, response.text == LARGE) == (200, True)
        assert response.headers["content-length"] == str(len(LARGE))
        assert (response.headers["etag"], "content-encoding" in response.headers) == (f'"{tag_of(LARGE)}"', False)


@pytest.mark.usefixtures("large")
async def test_head_and_304_responses_are_not_decompressed(visitor: Visitor, made: list[int]) -> None:
    head = await visitor.get("/large", method="HEAD", headers=PLAIN)
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(len(LARGE)), b"")
    same = await visitor.get("/large", headers=PLAIN | {"If-None-Match": head.headers["etag"]})
    assert (same.status_code, made) == (304, [])


@pytest.mark.usefixtures("large")
async def test_a_large_page_is_streamed_with_bounded_memory(
    listener: SiteListener, visitor: Visitor, made: list[int]
) -> None:
    """Other requests are served meanwhile."""
    await visitor.get("/large", headers={"Accept-Encoding": "gzip"})
    tracemalloc.start()
    try:
        async with requesting(visitor, "/large") as reader:
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            assert (await visitor.get("/about")).text == FILES["about"]
            assert sum(made) < len(LARGE)
            received = 0
            while some := await reader.read(MIB):
                received += len(some)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (received > len(LARGE), sum(made), max(made) <= decompression.OUTPUT_BYTES) == (True, len(LARGE), True)
    assert peak < 2 * MIB < len(LARGE)


@pytest.mark.usefixtures("large")
async def test_decompression_stops_when_the_client_disconnects(
    listener: SiteListener, visitor: Visitor, made: list[int]
) -> None:
    async with requesting(visitor, "/large") as reader:
        await reader.readline()
    await eventually(lambda: bool(listener.access_log._pending))
    assert sum(made) < len(LARGE)


async def test_a_page_of_moderate_size_is_decompressed_once(
    listener: SiteListener, visitor: Visitor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    moderate = "<p>some</p>" * 50_000
    await shop.publish(FILES | {"moderate": moderate, "short": "short"}, 2)
    inflated = list[int]()
    whole = Decompressor.decompress

    async def counted(self: Decompressor, body: bytes) -> bytes:
        inflated.append(len(body))
        return await whole(self, body)

    monkeypatch.setattr(Decompressor, "decompress", counted)
    responses = await asyncio.gather(*(visitor.get("/moderate", headers=PLAIN) for _ in range(5)))
    responses.append(await visitor.get("/moderate?x=1", headers=PLAIN))
    assert {response.text == moderate for response in responses} == {True}
    for query in ("", "?x=1", "?x=2"):
        assert (await visitor.get(f"/short{query}", headers=PLAIN)).text == "short"
    assert len(inflated) == 2


@pytest.mark.parametrize("length", [0, 1, 64 * 1024, 64 * 1024 + 1, MAX_PLAIN_BYTES, MAX_PLAIN_BYTES + 1, 3_000_001])
async def test_any_length_round_trips(length: int) -> None:
    plain = random.Random(length).randbytes(length // 2) + bytes(length - length // 2)  # noqa: S311 - half compressible
    body = gzip.compress(plain, 6, mtime=0)
    chunks = [chunk async for chunk in Decompressor().stream(body)]
    assert decompressed_size(body) == length == len(await Decompressor().decompress(body))
    assert hashlib.sha256(b"".join(chunks)).digest() == hashlib.sha256(plain).digest()
    assert max(map(len, chunks), default=0) <= decompression.OUTPUT_BYTES


@pytest.mark.parametrize("size", [10, 100_000])
async def test_damaged_files_raise_an_error(size: int) -> None:
    body = gzip.compress(b"x" * size)
    lying = body[:-4] + (size - 1).to_bytes(4, "little")
    with pytest.raises(zlib.error):
        await Decompressor().decompress(lying)
    with pytest.raises(zlib.error):
        [chunk async for chunk in Decompressor().stream(body[:-9])]
