"""Pictures in temporary files: a decoder reads them from there, so that no process holds them in memory."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from sitewright.settings import Settings
from sitewright.sites.media.errors import MediaUnreadable
from sitewright.sites.media.pictures.service import DETECTION_BYTES, detect
from sitewright.sites.media.storage.interface import CHUNK_BYTES


class Spool:
    """A file that is being received. Writing happens in threads, 256 KiB at a time."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._held = bytearray()
        self._is_checked = False
        self.path = Path(file.name)
        self.bytes = 0

    async def write(self, chunk: bytes) -> None:
        """Raises `MediaUnreadable` as soon as the beginning shows that it is no picture."""
        self._held += chunk
        self.bytes += len(chunk)
        if not self._is_checked and len(self._held) >= DETECTION_BYTES:
            self._check()
        if len(self._held) >= CHUNK_BYTES:
            await self._flush()

    async def finish(self) -> None:
        if not self._is_checked:
            self._check()
        await self._flush()

    def _check(self) -> None:
        self._is_checked = True
        if detect(bytes(self._held[:DETECTION_BYTES])) is None:
            raise MediaUnreadable

    async def _flush(self) -> None:
        held, self._held = self._held, bytearray()
        await asyncio.to_thread(_write, self._file, held)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The finished file."""
        position = 0
        while position < self.bytes:
            chunk = await asyncio.to_thread(os.pread, self._file.fileno(), CHUNK_BYTES, position)
            if not chunk:
                return
            position += len(chunk)
            yield chunk


@asynccontextmanager
async def open_spool(settings: Settings) -> AsyncIterator[Spool]:
    """Deleted at the end; those of a process that was killed are deleted by `prune` later."""
    with await asyncio.to_thread(_open, folder_of(settings)) as file:
        yield Spool(file)


async def spool_all(spool: Spool, chunks: AsyncIterable[bytes]) -> None:
    async for chunk in chunks:
        await spool.write(chunk)
    await spool.finish()


def folder_of(settings: Settings) -> Path:
    return settings.data_path / "uploads"


def _open(folder: Path) -> IO[bytes]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file: IO[bytes] = tempfile.NamedTemporaryFile(dir=folder)  # noqa: SIM115 - closed by open_spool
    return file


def _write(file: IO[bytes], held: bytearray) -> None:
    file.write(held)
    file.flush()
