"""Streams of bytes, cut into chunks of one size."""

from collections.abc import AsyncIterable, AsyncIterator


async def resized(chunks: AsyncIterable[bytes], size: int) -> AsyncIterator[bytes]:
    """The same bytes in chunks of exactly `size`; only the last one is shorter. An empty object has one empty chunk."""
    held = bytearray()
    is_first = True
    async for chunk in chunks:
        held += chunk
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
            is_first = False
    if held or is_first:
        yield bytes(held)
