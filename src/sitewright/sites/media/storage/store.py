"""SQL of stored objects, and of their chunks in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class StoredObject(msgspec.Struct, frozen=True):
    brand_ref: int
    key: str
    store: str


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


async def delete_chunks(tx: Transaction, key: str) -> None:
    await tx.execute("delete from media_chunks where brand_ref = current_brand() and object_key = $1", key)
