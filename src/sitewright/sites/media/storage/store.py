"""SQL of stored objects, and of their chunks in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class StoredObject(msgspec.Struct, frozen=True):
    brand_ref: int
    key: str
    stores: list[str]
    """One, or two while it is moved: the one that holds it, then the one that may hold a copy."""


class StoredNumbers(msgspec.Struct, frozen=True):
    kept: int
    pending: int
    """Uploads that are not completed, and what is to be deleted."""


async def insert_object(tx: Transaction, key: str, site_ref: int, store: str, delete_after: datetime) -> None:
    """An object that is about to be written, and deleted again at `delete_after` unless it is kept until then."""
    await tx.execute(
        "insert into media_objects (brand_ref, key, site_ref, store, delete_after)"
        " values (current_brand(), $1, $2, $3, $4)",
        key,
        site_ref,
        store,
        delete_after,
    )


async def insert_imported_object(tx: Transaction, key: str, site_ref: int, store: str, delete_after: datetime) -> None:
    await tx.execute(
        "insert into media_objects (brand_ref, key, site_ref, store, delete_after)"
        " values (current_brand(), $1, $2, $3, $4)"
        " on conflict (brand_ref, key) do update set store = excluded.store, delete_after = excluded.delete_after",
        key,
        site_ref,
        store,
        delete_after,
    )


async def keep_all_objects(tx: Transaction, at: datetime) -> int:
    """All objects of a brand that are not due for deletion; returns how many were kept."""
    status = await tx.execute(
        "update media_objects set delete_after = null where brand_ref = current_brand() and delete_after > $1", at
    )
    return int(status.rpartition(" ")[2])


async def keep_objects(tx: Transaction, keys: Sequence[str], at: datetime) -> int:
    """Keep objects for good, unless they are due for deletion; returns how many were kept."""
    status = await tx.execute(
        "update media_objects set delete_after = null"
        " where brand_ref = current_brand() and key = any($1) and delete_after > $2",
        list(keys),
        at,
    )
    return int(status.rpartition(" ")[2])


async def mark_for_deletion(tx: Transaction, keys: Sequence[str], at: datetime) -> None:
    await tx.execute(
        "update media_objects set delete_after = $2 where brand_ref = current_brand() and key = any($1)", list(keys), at
    )


async def mark_site_for_deletion(tx: Transaction, site_ref: int, at: datetime) -> bool:
    """All objects of a site; returns whether there are any."""
    status = await tx.execute(
        "update media_objects set delete_after = $2 where brand_ref = current_brand() and site_ref = $1", site_ref, at
    )
    return status != "UPDATE 0"


async def due_deletions(tx: Transaction, at: datetime, limit: int) -> list[StoredObject]:
    """Objects of all brands that are to be deleted, the longest due first."""
    return [StoredObject(*row) for row in await tx.fetch("select * from due_media_deletions($1, $2)", at, limit)]


async def delete_objects(tx: Transaction, keys: Sequence[str]) -> None:
    """The rows of objects that their store has deleted."""
    await tx.execute("delete from media_objects where brand_ref = current_brand() and key = any($1)", list(keys))


async def find_store(tx: Transaction, key: str) -> str | None:
    """The name of the store that holds an object."""
    name: str | None = await tx.fetchval(
        "select store from media_objects where brand_ref = current_brand() and key = $1", key
    )
    return name


async def insert_chunk(tx: Transaction, key: str, number: int, body: bytes) -> None:
    """Committed asynchronously: the log is written in order, so the commit that keeps the object makes it durable."""
    await tx.execute("set local synchronous_commit = off")
    await tx.execute(
        "insert into media_chunks (brand_ref, object_key, number, body) values (current_brand(), $1, $2, $3)",
        key,
        number,
        body,
    )


async def read_chunk(tx: Transaction, key: str, number: int) -> bytes | None:
    body: bytes | None = await tx.fetchval(
        "select body from media_chunks where brand_ref = current_brand() and object_key = $1 and number = $2",
        key,
        number,
    )
    return body


async def chunk_exists(tx: Transaction, key: str, number: int) -> bool:
    exists: bool = await tx.fetchval(
        "select exists (select from media_chunks"
        " where brand_ref = current_brand() and object_key = $1 and number = $2)",
        key,
        number,
    )
    return exists


async def delete_chunks(tx: Transaction, key: str) -> None:
    await tx.execute("delete from media_chunks where brand_ref = current_brand() and object_key = $1", key)


async def objects_to_move(tx: Transaction, source: str, after: tuple[int, str], limit: int) -> list[tuple[int, str]]:
    """Brand and key of kept objects of one store, in that order, of all brands."""
    return [
        tuple(row)
        for row in await tx.fetch("select * from media_objects_to_move($1, $2, $3, $4)", source, *after, limit)
    ]


async def objects_in_two_stores(tx: Transaction, limit: int) -> list[StoredObject]:
    """Objects of all brands whose move began and did not end."""
    return [StoredObject(*row) for row in await tx.fetch("select * from media_objects_in_two_stores($1)", limit)]


async def count_objects(tx: Transaction, store: str) -> StoredNumbers:
    row = await tx.fetchrow("select kept, pending from count_media_objects($1)", store)
    assert row is not None  # noqa: S101 - an aggregate always returns a row
    return StoredNumbers(*row)


async def begin_copy(tx: Transaction, key: str, source: str, target: str) -> bool:
    """Record, before the first byte is copied, that `target` may hold a copy; False where the object is gone."""
    status = await tx.execute(
        "update media_objects set other_store = $3"
        " where brand_ref = current_brand() and key = $1 and store = $2 and delete_after is null",
        key,
        source,
        target,
    )
    return status == "UPDATE 1"


async def switch_store(tx: Transaction, key: str, source: str, target: str) -> bool:
    """From now on the copy is the object, and the former one is to be deleted; False where the object is gone."""
    status = await tx.execute(
        "update media_objects set store = other_store, other_store = store"
        " where brand_ref = current_brand() and key = $1 and store = $2 and other_store = $3 and delete_after is null",
        key,
        source,
        target,
    )
    return status == "UPDATE 1"


async def end_copy(tx: Transaction, key: str, other_store: str) -> None:
    """`other_store` holds nothing of the object any more."""
    await tx.execute(
        "update media_objects set other_store = null"
        " where brand_ref = current_brand() and key = $1 and other_store = $2",
        key,
        other_store,
    )
