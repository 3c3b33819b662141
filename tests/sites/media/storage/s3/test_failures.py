"""A store that fails, hangs or refuses: retries with back-off, then 503, and no secret in the log."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest
from aiohttp import web

from sitewright.kit.problems import Unavailable
from sitewright.settings import Settings
from sitewright.sites.media.storage.s3 import client
from sitewright.sites.media.storage.s3.media_store import PART_BYTES, S3MediaStore
from tests.support.s3_server import ACCESS_KEY_ID, SECRET_ACCESS_KEY, Bucket

CONTENT = b"content " * 10_000
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def once(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def hangs(_request: web.Request) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError


@asynccontextmanager
async def store_of(handler: Handler, settings: Settings, **changes: object) -> AsyncIterator[S3MediaStore]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    [address] = runner.addresses
    values = {
        "s3_endpoint": f"http://127.0.0.1:{address[1]}/base",
        "s3_bucket": "bucket",
        "s3_access_key_id": ACCESS_KEY_ID,
        "s3_secret_access_key": SECRET_ACCESS_KEY,
    }
    store = S3MediaStore(msgspec.structs.replace(settings, **(values | changes)))
    try:
        yield store
    finally:
        await store.close()
        await runner.cleanup()


@pytest.fixture(autouse=True)
def _short_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_BACKOFF_SECONDS", 0.001)


async def test_a_request_is_retried(settings: Settings) -> None:
    paths = []

    async def fails_twice(request: web.Request) -> web.Response:
        assert await request.read() == CONTENT
        paths.append(request.path)
        return web.Response(status=503 if len(paths) < 3 else 200, text="<Error><Code>SlowDown</Code></Error>")

    async with store_of(fails_twice, settings) as store:
        assert await store.write(1, "1/2/key", once(CONTENT)) == len(CONTENT)
    assert paths == ["/base/bucket/1/2/key"] * 3


@pytest.mark.parametrize("status", [403, 404, 500, 503])
async def test_a_store_that_refuses_is_503_for_users(
    settings: Settings, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def refuses(request: web.Request) -> web.Response:
        sent = request.headers["Authorization"]
        return web.Response(status=status, text=f"<Error><Code>Denied</Code><Message>{sent}</Message></Error>")

    caplog.set_level(logging.DEBUG)
    async with store_of(refuses, settings) as store:
        for attempt in (store.write(1, "1/2/key", once(CONTENT)), store.delete(1, ["1/2/key"])):
            with pytest.raises(Unavailable) as raised:
                await attempt
            assert raised.value.status == 503
            assert raised.value.headers == {"Retry-After": "2"}
    assert f"{status} Denied" in caplog.text
    assert not any(secret in caplog.text for secret in (SECRET_ACCESS_KEY, ACCESS_KEY_ID, "Signature="))


async def test_a_store_that_hangs(settings: Settings) -> None:
    async with store_of(hangs, settings, s3_timeout_seconds=0.05) as store:
        with pytest.raises(Unavailable):
            await store.write(1, "1/2/key", once(CONTENT))
        with pytest.raises(Unavailable):
            [chunk async for chunk in store.read(1, "1/2/key")]


async def test_a_store_that_is_not_there(settings: Settings) -> None:
    async with store_of(hangs, settings, s3_endpoint="http://127.0.0.1:1") as store:
        with pytest.raises(Unavailable):
            await store.write(1, "1/2/key", once(CONTENT))


async def test_a_download_that_breaks_off_goes_on_where_it_was(settings: Settings) -> None:
    ranges = []

    async def breaks_off(request: web.Request) -> web.StreamResponse:
        ranges.append(request.headers.get("Range"))
        start = int((ranges[-1] or "bytes=0-").removeprefix("bytes=").partition("-")[0])
        length = len(CONTENT) - start
        response = web.StreamResponse(status=206 if ranges[-1] else 200, headers={"Content-Length": str(length)})
        await response.prepare(request)
        await response.write(CONTENT[start : start + 30_000])
        assert request.transport is not None
        if length > 30_000:
            request.transport.close()
        return response

    async with store_of(breaks_off, settings) as store:
        assert b"".join([chunk async for chunk in store.read(1, "1/2/key")]) == CONTENT
    assert ranges == [None, "bytes=30000-", "bytes=60000-"]


async def test_a_completed_upload_whose_response_was_lost(
    s3: S3MediaStore, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second attempt is told that there is no such upload."""
    sent = s3._client.request

    async def twice(method: str, key: str = "", query: client.Query = (), body: bytes = b"") -> client.Document:
        if body.startswith(b"<CompleteMultipartUpload>"):
            await sent(method, key, query, body)
        return await sent(method, key, query, body)

    monkeypatch.setattr(s3._client, "request", twice)
    assert await s3.write(1, "1/2/key", once(bytes(PART_BYTES + 1))) == PART_BYTES + 1
    assert bucket.keys() == ["1/2/key"]
