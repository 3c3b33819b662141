"""Stored objects: written before the row that refers to them is committed, and deleted after it is gone.

An object has a row before its first byte is written, so that no crash leaves bytes that nobody knows of: what is not
kept within an hour is deleted by the worker, and so is what was marked for deletion.
"""

import secrets
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import groupby

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.sites.media.storage import store
from sitewright.sites.media.storage.interface import MediaStore, ObjectMissing
from sitewright.sites.media.storage.postgres import PostgresMediaStore

__all__ = ["MediaStore", "ObjectMissing", "Stored", "discard", "discard_site", "keep", "purge", "put", "read"]

PENDING = timedelta(hours=1)
"""How long an upload may take from its first stored byte to its commit."""
PENDING_IMPORT = timedelta(days=7)
"""How long the import of a brand may take from its first stored object to its end."""
PURGE_BATCH = 200
S3 = "s3"


class NotConfigured(Unavailable):
    detail = "This medium is in an S3 store, for which the service has no settings. Its operator must set s3_bucket."


class Stored(msgspec.Struct, frozen=True):
    key: str
    bytes: int


def store_named(resources: Resources, name: str) -> MediaStore:
    """The store that holds an object, by `media_objects.store`."""
    if name == S3:
        if not resources.settings.s3_bucket:
            raise NotConfigured
        from sitewright.sites.media.storage.s3.media_store import S3MediaStore  # noqa: PLC0415 - aiohttp takes 0.15 s

        return resources.opened.get(S3MediaStore, lambda: S3MediaStore(resources.settings))
    return PostgresMediaStore(resources.database, resources.reads)


def store_for_new(resources: Resources) -> str:
    """The name of the store for new objects."""
    return resources.settings.media_store


async def put(resources: Resources, brand_ref: int, site_ref: int, chunks: AsyncIterable[bytes]) -> Stored:
    """Write a pending object; call it outside of any transaction, and `keep` it in the one that refers to it."""
    key = f"{brand_ref}/{site_ref}/{secrets.token_hex(16)}"
    name = store_for_new(resources)
    async with resources.database.transaction(brand_ref) as tx:
        await store.insert_object(tx, key, site_ref, name, clock.now() + PENDING)
    return Stored(key, await store_named(resources, name).write(brand_ref, key, chunks))


async def put_imported(
    resources: Resources, brand_ref: int, site_ref: int, key: str, chunks: AsyncIterable[bytes]
) -> None:
    """Write a pending object of a brand that is being imported, again if it was interrupted."""
    name = store_for_new(resources)
    async with resources.database.transaction(brand_ref) as tx:
        await store.insert_imported_object(tx, key, site_ref, name, clock.now() + PENDING_IMPORT)
    target = store_named(resources, name)
    await target.delete(brand_ref, [key])
    await target.write(brand_ref, key, chunks)


async def keep_imported(tx: Transaction) -> int:
    """Keep all pending objects of an imported brand; returns how many were kept."""
    return await store.keep_all_objects(tx, clock.now())


async def keep(tx: Transaction, keys: Sequence[str]) -> bool:
    """Keep pending objects for good, in the transaction that refers to them. False: some took too long."""
    return await store.keep_objects(tx, keys, clock.now()) == len(keys)


async def discard(tx: Transaction, keys: Sequence[str]) -> None:
    """Mark objects for deletion, in the transaction that removes the reference; the worker deletes them."""
    await store.mark_for_deletion(tx, keys, clock.now())


async def discard_site(tx: Transaction, site_ref: int) -> bool:
    """Mark all objects of a site for deletion; returns whether there are any."""
    return await store.mark_site_for_deletion(tx, site_ref, clock.now())


async def read(
    resources: Resources, brand_ref: int, key: str, start: int = 0, end: int | None = None
) -> AsyncIterator[bytes]:
    """The bytes of an object, from whichever store holds it. Raises `ObjectMissing`."""
    position, tried = start, ""
    while True:
        name = await resources.reads.find(brand_ref, partial(store.find_store, key=key))
        if name is None or name == tried:
            raise ObjectMissing(key)
        try:
            async for chunk in store_named(resources, name).read(brand_ref, key, position, end):
                yield chunk
                position += len(chunk)
        except ObjectMissing:  # it was moved meanwhile: go on where we were, in the other store
            tried = name
        else:
            return


async def purge(resources: Resources) -> None:
    """Delete all objects that are due for deletion, of all brands; repeated after a crash, since it is idempotent."""
    is_complete = False
    while not is_complete:
        async with resources.database.connection() as connection:
            due = await store.due_deletions(connection, clock.now(), PURGE_BATCH)
        is_complete = len(due) < PURGE_BATCH
        for brand_ref, objects in groupby(sorted(due, key=lambda each: each.brand_ref), lambda each: each.brand_ref):
            await _delete(resources, brand_ref, list(objects))


async def _delete(resources: Resources, brand_ref: int, objects: Sequence[store.StoredObject]) -> None:
    for name in {name for each in objects for name in each.stores}:
        keys = [each.key for each in objects if name in each.stores]
        await store_named(resources, name).delete(brand_ref, keys)
    async with resources.database.transaction(brand_ref) as tx:
        await store.delete_objects(tx, [each.key for each in objects])
