"""The interface of media stores: PostgreSQL, or any S3-compatible store."""

from collections.abc import AsyncIterable, AsyncIterator, Sequence
from typing import Protocol

CHUNK_BYTES = 256 * 1024
"""How much of an object is in memory at once, at most a few times over."""


class ObjectMissing(Exception):
    """The store has no object with this key, or it was deleted while it was being read."""


class MediaStore(Protocol):
    """Stores objects under keys that are never reused. Never called inside a transaction: a store may use the network.

    A failure that may pass is raised as `kit.problems.Unavailable`.
    """

    async def write(self, brand_ref: int, key: str, chunks: AsyncIterable[bytes]) -> int:
        """Store an object, chunk by chunk as it arrives (chunks of any size), and return its size in bytes."""

    def read(self, brand_ref: int, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes from `start` to before `end` (None: to the end of the object), in chunks.

        Raises `ObjectMissing`. The reader may be slow: no connection to the database is held between chunks.
        """

    async def delete(self, brand_ref: int, keys: Sequence[str]) -> None:
        """Delete objects. Keys that do not exist are ignored: deleting is idempotent."""
