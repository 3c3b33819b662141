"""The media store in an S3-compatible service: single requests for small objects, parts for large ones."""

import asyncio
import base64
import hashlib
import logging
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from html import escape

from sitewright.settings import Settings
from sitewright.sites.media.storage.chunks import resized
from sitewright.sites.media.storage.interface import CHUNK_BYTES, ObjectMissing
from sitewright.sites.media.storage.s3.client import ATTEMPTS, S3Client, S3Error, StoreUnavailable, back_off

PART_BYTES = 5 * 1024 * 1024
"""The smallest part that S3 allows; what an upload takes of memory."""
KEYS_PER_REQUEST = 1000
_log = logging.getLogger("sitewright.media")


class S3MediaStore:
    """One per process. Where the store refuses us (wrong keys, no bucket), the log says why, and users get 503."""

    def __init__(self, settings: Settings) -> None:
        self._client = S3Client(settings)

    async def close(self) -> None:
        await self._client.close()

    async def write(self, _brand_ref: int, key: str, chunks: AsyncIterable[bytes]) -> int:
        parts = resized(chunks, PART_BYTES)
        first = await anext(parts)
        try:
            if len(first) < PART_BYTES:
                await self._client.request("PUT", key, body=first)
                return len(first)
            return await self._write_parts(key, first, parts)
        except S3Error as error:
            raise _unavailable(error) from None

    async def _write_parts(self, key: str, first: bytes, parts: AsyncIterator[bytes]) -> int:
        upload_id = (await self._client.request("POST", key, [("uploads", "")])).values("UploadId")[0]
        try:
            tags, size = [await self._write_part(key, upload_id, 1, first)], len(first)
            async for part in parts:
                tags.append(await self._write_part(key, upload_id, len(tags) + 1, part))
                size += len(part)
            await self._complete(key, upload_id, tags, size)
        except BaseException:  # also where the client disconnected
            await asyncio.shield(self._abort(key, upload_id))
            raise
        return size

    async def _write_part(self, key: str, upload_id: str, number: int, part: bytes) -> str:
        query = [("partNumber", str(number)), ("uploadId", upload_id)]
        return (await self._client.request("PUT", key, query, part)).headers["ETag"]

    async def _complete(self, key: str, upload_id: str, tags: Sequence[str], size: int) -> None:
        parts = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>{escape(tag)}</ETag></Part>"
            for number, tag in enumerate(tags, 1)
        )
        body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
        try:
            done = await self._client.request("POST", key, [("uploadId", upload_id)], body)
        except S3Error as error:
            if error.code != "NoSuchUpload" or await self._size_of(key) != size:  # else the first attempt succeeded
                raise
            return
        if done.values("Code"):  # S3 responds with 200 before it knows the outcome
            raise S3Error(200, done.values("Code")[0])

    async def _size_of(self, key: str) -> int:
        return int((await self._client.request("HEAD", key)).headers["Content-Length"])

    async def read(self, _brand_ref: int, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """A connection that breaks is resumed where it was."""
        position, failures = start, 0
        while end is None or position < end:
            try:
                async for chunk in self._read_once(key, position, end):
                    yield chunk
                    position += len(chunk)
                    failures = 0
            except StoreUnavailable:
                failures += 1
                if failures == ATTEMPTS:
                    raise
                await back_off(failures)
            else:
                return

    async def _read_once(self, key: str, start: int, end: int | None) -> AsyncIterator[bytes]:
        last = "" if end is None else end - 1
        headers = {} if not start and end is None else {"range": f"bytes={start}-{last}"}
        try:
            async with self._client.open("GET", key, headers=headers) as response:
                _check_range(response.status, headers)
                async for chunk in response.content.iter_chunked(CHUNK_BYTES):
                    yield chunk
        except S3Error as error:
            if error.status == 416:  # nothing from there on
                return
            if error.code == "NoSuchKey":
                raise ObjectMissing(key) from None
            raise _unavailable(error) from None

    async def delete(self, brand_ref: int, keys: Sequence[str]) -> None:
        """Also end uploads of these keys that were never completed: their parts would be kept, and charged, forever."""
        try:
            await self._abort_unfinished(brand_ref, frozenset(keys))
            for start in range(0, len(keys), KEYS_PER_REQUEST):
                await self._delete(keys[start : start + KEYS_PER_REQUEST])
        except S3Error as error:
            raise _unavailable(error) from None

    async def _delete(self, keys: Sequence[str]) -> None:
        objects = "".join(f"<Object><Key>{escape(key)}</Key></Object>" for key in keys)
        body = f"<Delete><Quiet>true</Quiet>{objects}</Delete>".encode()
        md5 = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
        result = await self._client.request("POST", "", [("delete", "")], body, {"content-md5": md5})
        if result.values("Code"):
            raise S3Error(200, result.values("Code")[0])

    async def _abort_unfinished(self, brand_ref: int, keys: frozenset[str]) -> None:
        marker: list[tuple[str, str]] = []
        while True:
            query = [("uploads", ""), ("prefix", f"{brand_ref}/"), *marker]
            listed = await self._client.request("GET", "", query)
            for key, upload_id in zip(listed.values("Key"), listed.values("UploadId"), strict=True):
                if key in keys:
                    await self._abort(key, upload_id)
            if listed.values("IsTruncated") != ["true"]:
                return
            marker = [
                ("key-marker", listed.values("NextKeyMarker")[0]),
                ("upload-id-marker", listed.values("NextUploadIdMarker")[0]),
            ]

    async def _abort(self, key: str, upload_id: str) -> None:
        """A failure is only logged: `delete` tries again, since an upload that fails is never kept."""
        try:
            await self._client.request("DELETE", key, [("uploadId", upload_id)])
        except (S3Error, StoreUnavailable) as error:
            if not isinstance(error, S3Error) or error.code != "NoSuchUpload":
                _log.warning("an unfinished upload could not be ended: %s", error)


def _check_range(status: int, headers: Mapping[str, str]) -> None:
    if headers and status != 206:
        raise S3Error(status, "the store ignores ranges")


def _unavailable(error: S3Error) -> StoreUnavailable:
    _log.error("%s; check the settings s3_endpoint, s3_bucket, s3_region and the keys", error)
    return StoreUnavailable()
