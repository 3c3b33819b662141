"""A copy of everything that is stored about one account holder: every feature adds its files to it."""

from collections.abc import AsyncIterable, Awaitable, Callable

import asyncpg

from sitewright.kit.resources import Resources

Write = Callable[[bytes], Awaitable[None]]
AfterSnapshot = Callable[[Resources, int], Awaitable[None]]
"""Gets the brand's ref."""


class DataExport:
    """`begin`, `write_bytes` and `end` write a file of the archive; rows are never all in memory.

    The observers of the hook run in one snapshot. What must not run in a transaction, because it uses the network, is
    added to `after_snapshot`.
    """

    def __init__(
        self,
        user_ref: int,
        begin: Callable[[str], Awaitable[None]],
        write_bytes: Write,
        end: Callable[[], Awaitable[None]],
    ) -> None:
        self.user_ref = user_ref
        self.begin = begin
        self.write_bytes = write_bytes
        self.end = end
        self.after_snapshot: list[AfterSnapshot] = []

    async def write(self, name: str, rows: AsyncIterable[asyncpg.Record]) -> None:
        """Write a file as a JSON array; the first column of each row is the JSON text of an object."""
        await self.begin(name)
        separator = b"[\n"
        async for row in rows:
            await self.write_bytes(separator + str(row[0]).encode())
            separator = b",\n"
        await self.write_bytes(b"\n]\n" if separator == b",\n" else b"[]\n")
        await self.end()
