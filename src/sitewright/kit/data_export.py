"""A copy of everything that is stored about one account holder: every feature adds its files to it."""

from collections.abc import AsyncIterable, Awaitable, Callable

import asyncpg

Write = Callable[[bytes], Awaitable[None]]


class DataExport:
    """`begin`, `write_bytes` and `end` write a file of the archive; rows are never all in memory."""

    def __init__(
        self,
        user_ref: int,
        begin: Callable[[str], Awaitable[None]],
        write_bytes: Write,
        end: Callable[[], Awaitable[None]],
    ) -> None:
        self.user_ref = user_ref
        self._begin = begin
        self._write = write_bytes
        self._end = end

    async def write(self, name: str, rows: AsyncIterable[asyncpg.Record]) -> None:
        """Write a file as a JSON array; the first column of each row is the JSON text of an object."""
        await self._begin(name)
        separator = b"[\n"
        async for row in rows:
            await self._write(separator + str(row[0]).encode())
            separator = b",\n"
        await self._write(b"\n]\n" if separator == b",\n" else b"[]\n")
        await self._end()
