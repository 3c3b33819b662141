"""Reads a large table in parts, over several connections with the same snapshot: PostgreSQL makes the JSON of a part in
one process, so each connection occupies a core of it. The parts are written one after the other, in their order."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from sitewright.kit.cpus import usable_cpus
from sitewright.kit.db import Transaction
from sitewright.transfer.archive import BLOCK_BYTES
from sitewright.transfer.exports import store
from sitewright.transfer.exports.store import WriteLines
from sitewright.transfer.store import connect, set_brand

ROWS = 10_000
MAX_CONNECTIONS = 3
"""Beside the owner's: as many as the connection budget leaves for commands."""
BLOCKS_AHEAD = 8
"""How far a connection may be ahead of the one whose part is being written."""
PAUSE_SECONDS = 0.001
"""PostgreSQL sends 8 KiB at a time: after a pause, many of them are read at once."""
Blocks = asyncio.Queue[bytearray | None]
"""None after each part."""


@asynccontextmanager
async def open_readers(owner_url: str, owner: Transaction, brand_ref: int) -> AsyncIterator[list[Transaction]]:
    """Connections with the snapshot of the owner's transaction."""
    snapshot = await store.export_snapshot(owner)
    async with AsyncExitStack() as stack:
        readers: list[Transaction] = []
        for _ in range(min(usable_cpus(), MAX_CONNECTIONS)):
            reader = await connect(owner_url, "sitewright brands export")
            stack.callback(reader.terminate)  # also while it reads, if another one failed
            await store.begin_with_snapshot(reader, snapshot)
            await set_brand(reader, brand_ref)
            readers.append(reader)
        yield readers


async def copy_parts(readers: Sequence[Transaction], queries: Sequence[str], write: WriteLines) -> None:
    """Write the lines of all queries in their order. Each connection reads every so-many-th query."""
    readers = readers[: len(queries)]
    queues = [Blocks(BLOCKS_AHEAD) for _ in readers]
    try:
        async with asyncio.TaskGroup() as group:
            for number, reader in enumerate(readers):
                group.create_task(_read(reader, queries[number :: len(readers)], queues[number]))
            for number in range(len(queries)):
                while (block := await queues[number % len(readers)].get()) is not None:
                    await write(block)
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def _read(reader: Transaction, queries: Sequence[str], blocks: Blocks) -> None:
    for query in queries:
        await store.copy_lines(reader, query, collected := _Collected(blocks))
        await collected.flush()
        await blocks.put(None)


class _Collected:
    """Lines of a part, collected to blocks."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._held = bytearray()

    async def __call__(self, lines: bytes | bytearray) -> None:
        self._held += lines
        if len(self._held) >= BLOCK_BYTES:
            await self.flush()
        else:
            await asyncio.sleep(PAUSE_SECONDS)

    async def flush(self) -> None:
        block, self._held = self._held, bytearray()
        await self._blocks.put(block)
