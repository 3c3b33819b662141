"""Moves objects to the other store while the service runs; it can be interrupted at any point, and run again.

Each object is copied, read back and compared, and only then switched to the copy in one statement; the former bytes are
deleted last. `other_store` is recorded before the first byte is copied, so that no crash leaves bytes nobody knows of.
"""

import hashlib
from collections.abc import AsyncIterator, Callable

import msgspec

from sitewright.kit.advisory_locks import Lock, try_lock, unlock
from sitewright.kit.resources import Resources
from sitewright.sites.media.storage import store
from sitewright.sites.media.storage.interface import MediaStore, ObjectMissing
from sitewright.sites.media.storage.service import store_named
from sitewright.sites.media.storage.store import StoredNumbers

BATCH = 100
FIRST = (0, "")


class CopyDiffers(Exception):
    """What was read back from the other store is not what was written."""


class AnotherMove(Exception):
    """Two moves at once would delete each other's copies."""


class Outcome(msgspec.Struct):
    moved: int = 0
    bytes: int = 0
    left: StoredNumbers = StoredNumbers(0, 0)
    """What the former store still holds; with uploads that were not completed, run it again later."""


class _Digest:
    """Counts and hashes the chunks that pass."""

    def __init__(self) -> None:
        self.size = 0
        self._hash = hashlib.sha256()

    async def pass_on(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            self.size += len(chunk)
            self._hash.update(chunk)
            yield chunk

    @property
    def value(self) -> bytes:
        return self._hash.digest()


async def count(resources: Resources, source: str) -> StoredNumbers:
    async with resources.database.connection() as connection:
        return await store.count_objects(connection, source)


async def move_all(
    resources: Resources, source: str, target: str, on_moved: Callable[[int], None] = lambda _bytes: None
) -> Outcome:
    """Move every kept object; `on_moved` gets the bytes of each.

    Raises `Unavailable`, `CopyDiffers` and `AnotherMove`.
    """
    async with resources.database.connection() as connection:
        if not await try_lock(connection, Lock.MEDIA_MOVE):
            raise AnotherMove
        try:
            return await _move_all(resources, source, target, on_moved)
        finally:
            await unlock(connection, Lock.MEDIA_MOVE)


async def _move_all(resources: Resources, source: str, target: str, on_moved: Callable[[int], None]) -> Outcome:
    await _finish_interrupted(resources)
    outcome = Outcome()
    after = FIRST
    while True:
        async with resources.database.connection() as connection:
            listed = await store.objects_to_move(connection, source, after, BATCH)
        if not listed:
            break
        for brand_ref, key in listed:
            size = await _move(resources, brand_ref, key, source, target)
            if size is not None:
                outcome.moved += 1
                outcome.bytes += size
                on_moved(size)
        after = listed[-1]
    outcome.left = await count(resources, source)
    return outcome


async def _finish_interrupted(resources: Resources) -> None:
    """Delete the copies of objects whose move was interrupted, before or after the switch."""
    while True:
        async with resources.database.connection() as connection:
            found = await store.objects_in_two_stores(connection, BATCH)
        if not found:
            return
        for each in found:
            await _delete_copy(resources, each.brand_ref, each.key, each.stores[1])


async def _move(resources: Resources, brand_ref: int, key: str, source: str, target: str) -> int | None:
    """Return the size of the object; None where it was deleted meanwhile."""
    async with resources.database.transaction(brand_ref) as tx:
        if not await store.begin_copy(tx, key, source, target):
            return None
    try:
        size = await _copy(brand_ref, key, store_named(resources, source), store_named(resources, target))
    except ObjectMissing:
        size = None
    async with resources.database.transaction(brand_ref) as tx:
        is_moved = size is not None and await store.switch_store(tx, key, source, target)
    await _delete_copy(resources, brand_ref, key, source if is_moved else target)
    return size if is_moved else None


async def _copy(brand_ref: int, key: str, source: MediaStore, target: MediaStore) -> int:
    written, found = _Digest(), _Digest()
    await target.delete(brand_ref, [key])  # of an attempt that was interrupted
    await target.write(brand_ref, key, written.pass_on(source.read(brand_ref, key)))
    async for _ in found.pass_on(target.read(brand_ref, key)):
        pass
    if (written.size, written.value) != (found.size, found.value):
        raise CopyDiffers(f"{key} came back from the other store with other content; it stays where it is")
    return written.size


async def _delete_copy(resources: Resources, brand_ref: int, key: str, other_store: str) -> None:
    await store_named(resources, other_store).delete(brand_ref, [key])
    async with resources.database.transaction(brand_ref) as tx:
        await store.end_copy(tx, key, other_store)
