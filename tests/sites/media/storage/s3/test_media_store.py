"""Objects in moto's S3 server: large ones in parts, ranges, deletion, uploads that were never completed."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sitewright.sites.media.storage.interface import ObjectMissing
from sitewright.sites.media.storage.s3.media_store import PART_BYTES, S3MediaStore
from tests.support.chunks import chunked
from tests.support.s3_server import Bucket

LARGE = bytes(range(251)) * (2 * PART_BYTES // 251) + b"the last, shorter part"
KEY = "1/7/0123456789abcdef"


async def read(store: S3MediaStore, key: str, start: int = 0, end: int | None = None) -> bytes:
    return b"".join([chunk async for chunk in store.read(1, key, start, end)])


@pytest.mark.parametrize("size", [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, len(LARGE)])
async def test_an_object_comes_back_as_it_was_written(s3: S3MediaStore, bucket: Bucket, size: int) -> None:
    assert await s3.write(1, KEY, chunked(LARGE[:size])) == size
    assert await read(s3, KEY) == LARGE[:size]
    assert bucket.content(KEY) == LARGE[:size]
    assert bucket.unfinished() == []


async def test_ranges(s3: S3MediaStore) -> None:
    await s3.write(1, KEY, chunked(LARGE))
    for start, end in ((0, 1), (5, 5), (PART_BYTES - 3, PART_BYTES + 3), (len(LARGE) - 4, None), (len(LARGE), None)):
        assert await read(s3, KEY, start, end) == LARGE[start:end]


@pytest.mark.parametrize("key", ["1/7/a b+c%2F~*'()!$&,;=:@ü", "1/7/日本", "1/7/<&>"])
async def test_unusual_keys(s3: S3MediaStore, bucket: Bucket, key: str) -> None:
    await s3.write(1, key, chunked(b"small"))
    assert await read(s3, key) == b"small"
    assert bucket.keys() == [key]
    await s3.delete(1, [key])
    assert bucket.keys() == []


async def test_a_missing_object(s3: S3MediaStore) -> None:
    for end in (None, 10):
        with pytest.raises(ObjectMissing):
            await read(s3, KEY, 0, end)
    await s3.delete(1, [KEY])


async def test_many_objects_are_deleted_at_once(
    s3: S3MediaStore, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitewright.sites.media.storage.s3.media_store.KEYS_PER_REQUEST", 4)
    keys = [f"1/7/{number}" for number in range(10)]
    for key in [*keys, "1/8/kept"]:
        await s3.write(1, key, chunked(b"small"))
    await s3.delete(1, [*keys, "1/7/never written"])
    assert bucket.keys() == ["1/8/kept"]


async def test_an_upload_that_fails_leaves_no_parts(s3: S3MediaStore, bucket: Bucket) -> None:
    async def breaks_off() -> AsyncIterator[bytes]:
        yield LARGE[:PART_BYTES]
        assert bucket.unfinished() == [KEY]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await s3.write(1, KEY, breaks_off())
    assert bucket.unfinished() == bucket.keys() == []


async def test_a_cancelled_upload_leaves_no_parts(s3: S3MediaStore, bucket: Bucket) -> None:
    waits = asyncio.Event()

    async def never_ends() -> AsyncIterator[bytes]:
        yield LARGE[: 2 * PART_BYTES]
        waits.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(s3.write(1, KEY, never_ends()))
    await asyncio.wait({task, asyncio.create_task(waits.wait())}, return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert bucket.unfinished() == bucket.keys() == []


async def test_deleting_ends_uploads_of_a_process_that_was_killed(s3: S3MediaStore, bucket: Bucket) -> None:
    for key in (KEY, KEY, "1/7/another", "11/7/another brand"):
        bucket.client.create_multipart_upload(Bucket=bucket.name, Key=key)
    await s3.delete(1, [KEY])
    assert sorted(bucket.unfinished()) == ["1/7/another", "11/7/another brand"]
