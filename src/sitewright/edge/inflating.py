"""Stored gzip becomes plain bytes for clients that do not accept gzip: off the event loop, and with bounded memory.

A page of 200 MB can be stored as 200 KB. Decompressed at once on the event loop, it would take the memory of the whole
page for each visitor, and everybody else would wait.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

GZIP_WINDOW = 31  # zlib's way to say: with the header and trailer of gzip
INPUT_BYTES = 16 * 1024
OUTPUT_BYTES = 64 * 1024
INLINE_BYTES = 64 * 1024
"""Up to here decompressing takes 0.2 ms at most, which is about what going to another thread costs."""
T = TypeVar("T")


def plain_length(body: bytes | memoryview) -> int:
    """How many bytes the gzip in `body` holds, from its trailer. Ours has one member and less than 4 GiB."""
    return int.from_bytes(body[-4:], "little")


class Inflater:
    """Decompresses in one thread of its own, chunk by chunk, so that large pages take turns with each other."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "inflate")

    async def whole(self, body: bytes | memoryview) -> bytes:
        """For what is small enough to be held in memory."""
        if plain_length(body) <= INLINE_BYTES:
            return _inflate(body)
        return await self.run(_inflate, body)

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """In the thread, for what else is too long for the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    async def chunks(self, body: bytes | memoryview) -> AsyncIterator[bytes]:
        """The next chunk is made when it is asked for: whoever reads slowly holds no more than one."""
        loop, chunks = asyncio.get_running_loop(), _chunks(body)
        while (chunk := await loop.run_in_executor(self._thread, next, chunks, b"")) != b"":
            yield chunk


def _inflate(body: bytes | memoryview) -> bytes:
    """Never more than the trailer says, whatever the data hold."""
    length, inflating = plain_length(body), zlib.decompressobj(GZIP_WINDOW)
    plain = inflating.decompress(body, length + 1)
    if len(plain) != length or not inflating.eof:
        raise zlib.error("the length differs from that in the trailer")
    return plain


def _chunks(body: bytes | memoryview) -> Iterator[bytes]:
    inflating = zlib.decompressobj(GZIP_WINDOW)
    for at in range(0, len(body), INPUT_BYTES):
        rest = body[at : at + INPUT_BYTES]
        while rest:
            chunk = inflating.decompress(rest, OUTPUT_BYTES)
            rest = inflating.unconsumed_tail
            if chunk:
                yield chunk
    if not inflating.eof:
        raise zlib.error("the data end before their end mark")
