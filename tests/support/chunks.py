"""Content as a stream, as a connection delivers it."""

from collections.abc import AsyncIterator


async def chunked(content: bytes, size: int = 100_000) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]
