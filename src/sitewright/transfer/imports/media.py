"""Media objects in an archive: rows of chunks, as PostgreSQL's media store has them."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable

import msgspec

from sitewright.transfer.archive import ArchiveReader, File
from sitewright.transfer.errors import ArchiveDamaged

OBJECT_KEY = re.compile(r"[0-9]{1,15}/([0-9]{1,15})/([0-9a-f]{32})", re.ASCII)


class Chunk(msgspec.Struct, frozen=True):
    object_key: str
    number: int
    body: str

    @property
    def bytes(self) -> bytes:
        try:
            return bytes.fromhex(self.body.removeprefix("\\x"))
        except ValueError:
            raise ArchiveDamaged(f"The media object {self.object_key} is damaged.") from None


class MediaReader:
    """Reads one object after the other; an object that is not read to its end is skipped."""

    def __init__(self, archive: ArchiveReader, file: File, on_progress: Callable[[int], None]) -> None:
        self._blocks = archive.blocks(file)
        self._lines: list[bytes] = []
        self._on_progress = on_progress
        self._next: Chunk | None = None

    async def objects(self) -> AsyncIterator[tuple[str, AsyncIterator[bytes]]]:
        await self._advance()
        while self._next is not None:
            chunks = self._object(self._next.object_key)
            yield self._next.object_key, chunks
            async for _ in chunks:
                pass

    async def _object(self, key: str) -> AsyncIterator[bytes]:
        number = 0
        while self._next is not None and self._next.object_key == key:
            if self._next.number != number:
                raise ArchiveDamaged(f"The media object {key} lacks a chunk.")
            body = self._next.bytes
            number += 1
            await self._advance()
            yield body

    async def _advance(self) -> None:
        while not self._lines:
            block = await asyncio.to_thread(next, self._blocks, None)
            if block is None:
                self._next = None
                return
            self._on_progress(len(block))
            self._lines = block.splitlines()[::-1]
        try:
            self._next = msgspec.json.decode(self._lines.pop(), type=Chunk)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ArchiveDamaged("A line of the media is damaged.") from None
        if not OBJECT_KEY.fullmatch(self._next.object_key):
            raise ArchiveDamaged("A media object has an invalid key.")


def site_of(key: str) -> int:
    return int(key.split("/")[1])


def renamed(key: str, brand_ref: int, site_ref: int) -> str:
    """The same object of another brand or site. The former prefix is never used: it may be another brand's here."""
    return f"{brand_ref}/{site_ref}/{key.split('/')[2]}"
