"""A streaming zip writer that stores pieces of equal size, at constant memory.

Compression runs in threads (it releases the interpreter lock), one batch at a time, while the next batch is received.
"""

import asyncio
import zipfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, Self

from sitewright.accounts.reports.streaming import PIECE_BYTES

LEVEL = 1
BATCH_BYTES = 1024 * 1024

StorePiece = Callable[[int, bytes], Awaitable[None]]
"""Stores a piece: its number, from 0 on, and its bytes."""


class _Out:
    """The output of zipfile: it cannot seek, so each file's size is written after its data."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def write(self, data: bytes) -> int:
        self.buffer += data
        return len(data)

    def flush(self) -> None:
        """Nothing to flush."""


class Archive:
    """Use it with `async with`, which waits for running threads even after an error."""

    def __init__(self, store_piece: StorePiece, at: datetime, *, may_be_huge: bool) -> None:
        self._store_piece = store_piece
        self._at = at
        self._may_be_huge = may_be_huge
        self._out = _Out()
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)  # type: ignore[call-overload]
        self._file: Any = None
        self._batch = bytearray()
        self._compressing: asyncio.Task[None] | None = None
        self._pieces = 0
        self.size = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, _error: object, _trace: object) -> None:
        if kind is not None:
            await asyncio.gather(*([self._compressing] if self._compressing else []), return_exceptions=True)
            with suppress(Exception):
                self._file.close()
                self._zip.close()

    async def begin(self, name: str) -> None:
        """Begins a file, of at most 2 GiB unless the archive may be huge (zip64, which older programs cannot open)."""
        entry = zipfile.ZipInfo(name, self._at.timetuple()[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self._file = self._zip.open(entry, "w", force_zip64=self._may_be_huge)

    async def write(self, data: bytes) -> None:
        self._batch += data
        if len(self._batch) >= BATCH_BYTES:
            await self._start_compressing()

    async def end(self) -> None:
        await self._start_compressing()
        await self._finish_compressing()
        self._file.close()

    async def close(self) -> None:
        self._zip.close()
        await self._store_pieces(at_least=1)

    async def _start_compressing(self) -> None:
        await self._finish_compressing()
        batch, self._batch = self._batch, bytearray()
        self._compressing = asyncio.create_task(self._compress(batch))

    async def _finish_compressing(self) -> None:
        if self._compressing is not None:
            await self._compressing
            self._compressing = None

    async def _compress(self, batch: bytearray) -> None:
        await asyncio.to_thread(self._file.write, batch)
        await self._store_pieces(at_least=PIECE_BYTES)

    async def _store_pieces(self, *, at_least: int) -> None:
        buffer = self._out.buffer
        while len(buffer) >= at_least:
            piece = bytes(buffer[:PIECE_BYTES])
            del buffer[:PIECE_BYTES]
            await self._store_piece(self._pieces, piece)
            self._pieces += 1
            self.size += len(piece)
