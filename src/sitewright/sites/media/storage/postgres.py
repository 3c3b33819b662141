"""The media store in PostgreSQL: rows of 256 KiB, so that neither side ever holds a whole object in memory."""

from collections.abc import AsyncIterable, AsyncIterator, Sequence
from functools import partial

from sitewright.kit.db import Database, Transaction
from sitewright.kit.replicas import ReadDatabase
from sitewright.sites.media.storage import store
from sitewright.sites.media.storage.chunks import resized
from sitewright.sites.media.storage.interface import CHUNK_BYTES, ObjectMissing


class PostgresMediaStore:
    """Every chunk is a transaction of its own: a slow client holds no connection."""

    def __init__(self, database: Database, reads: ReadDatabase) -> None:
        self._database = database
        self._reads = reads

    async def write(self, brand_ref: int, key: str, chunks: AsyncIterable[bytes]) -> int:
        size = number = 0
        async for chunk in resized(chunks, CHUNK_BYTES):
            async with self._database.transaction(brand_ref) as tx:
                await store.insert_chunk(tx, key, number, chunk)
            size += len(chunk)
            number += 1
        return size

    async def read(self, brand_ref: int, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        number = start // CHUNK_BYTES
        while end is None or number * CHUNK_BYTES < end:
            chunk = await self._reads.find(brand_ref, partial(_read_chunk, key=key, number=number, may_end=end is None))
            if chunk is None:
                raise ObjectMissing(key)
            begin = number * CHUNK_BYTES
            part = chunk[max(0, start - begin) : None if end is None else end - begin]
            if part:
                yield part
            if len(chunk) < CHUNK_BYTES:
                return
            number += 1

    async def delete(self, brand_ref: int, keys: Sequence[str]) -> None:
        for key in keys:  # one at a time: an object may have a hundred rows
            async with self._database.transaction(brand_ref) as tx:
                await store.delete_chunks(tx, key)


async def _read_chunk(tx: Transaction, *, key: str, number: int, may_end: bool) -> bytes | None:
    """None if it is missing; empty behind the last chunk of an object whose size the reader does not know."""
    chunk = await store.read_chunk(tx, key, number)
    is_end = chunk is None and may_end and await store.chunk_exists(tx, key, number - 1)
    return b"" if is_end else chunk
