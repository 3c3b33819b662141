"""A zip archive that is written as it comes, into pieces of one size, with none of it held longer than needed.

Compressing happens in threads (it needs no interpreter lock), one batch at a time, while the next batch comes in.
"""

import asyncio
import zipfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, Self

from sitewright.accounts.reports.download import PIECE_BYTES

LEVEL = 1
BATCH_BYTES = 1024 * 1024

StorePiece = Callable[[int, bytes], Awaitable[None]]
"""Takes the number of a piece, from 0 on, and its bytes."""


class _Out:
    """What zipfile writes to: it can neither seek nor tell, so sizes stand behind each file."""

    def __init__(self) -> None:
        self.held = bytearray()

    def write(self, data: bytes) -> int:
        self.held += data
        return len(data)

    def flush(self) -> None:
        """There is nothing below."""


class Archive:
    """Use it with `async with`: nothing is under way any more after it, whatever came of it."""

    def __init__(self, store_piece: StorePiece, at: datetime, *, may_be_huge: bool) -> None:
        self._store_piece = store_piece
        self._at = at
        self._may_be_huge = may_be_huge
        self._out = _Out()
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)  # type: ignore[call-overload]
        self._file: Any = None
        self._batch = bytearray()
        self._under_way: asyncio.Task[None] | None = None
        self._pieces = 0
        self.size = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, _error: object, _trace: object) -> None:
        if kind is not None:
            await asyncio.gather(*([self._under_way] if self._under_way else []), return_exceptions=True)
            with suppress(Exception):
                self._file.close()
                self._zip.close()

    async def begin(self, name: str) -> None:
        """A file; 2 GiB are too much for it unless the archive may be huge, which older programs cannot open."""
        entry = zipfile.ZipInfo(name, self._at.timetuple()[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self._file = self._zip.open(entry, "w", force_zip64=self._may_be_huge)

    async def write(self, data: bytes) -> None:
        self._batch += data
        if len(self._batch) >= BATCH_BYTES:
            await self._hand_over()

    async def end(self) -> None:
        await self._hand_over()
        await self._settle()
        self._file.close()

    async def close(self) -> None:
        self._zip.close()
        await self._store_pieces(at_least=1)

    async def _hand_over(self) -> None:
        await self._settle()
        batch, self._batch = self._batch, bytearray()
        self._under_way = asyncio.create_task(self._compress(batch))

    async def _settle(self) -> None:
        if self._under_way is not None:
            await self._under_way
            self._under_way = None

    async def _compress(self, batch: bytearray) -> None:
        await asyncio.to_thread(self._file.write, batch)
        await self._store_pieces(at_least=PIECE_BYTES)

    async def _store_pieces(self, *, at_least: int) -> None:
        held = self._out.held
        while len(held) >= at_least:
            piece = bytes(held[:PIECE_BYTES])
            del held[:PIECE_BYTES]
            await self._store_piece(self._pieces, piece)
            self._pieces += 1
            self.size += len(piece)
