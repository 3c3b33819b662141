"""Adds an account holder's pictures to the copy of their data: the originals, one chunk in memory at a time."""

from collections.abc import AsyncIterator
from functools import partial

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.sites.media.exports import store
from sitewright.sites.media.exports.file_names import file_name
from sitewright.sites.media.storage import service as storage
from sitewright.sites.media.storage.service import ObjectMissing

BATCH = 100
FIRST = (0, 0)


async def export_user(tx: Transaction, export: DataExport) -> None:
    """The list belongs to the snapshot. The files follow when its transaction has ended: their store may be remote."""
    await store.write_list(tx, export)
    export.after_snapshot.append(partial(_write_originals, export))


async def _write_originals(export: DataExport, resources: Resources, brand_ref: int) -> None:
    after = FIRST
    while True:
        async with resources.database.transaction(brand_ref) as tx:
            listed = await store.list_originals(tx, export.user_ref, after, BATCH)
        for each in listed:
            chunks = storage.read(resources, brand_ref, each.object_key)
            await _write_original(export, file_name(each.ref, each.name, each.mime_type), chunks)
        if len(listed) < BATCH:
            return
        after = listed[-1].position


async def _write_original(export: DataExport, name: str, chunks: AsyncIterator[bytes]) -> None:
    """A picture that was deleted since it was listed is left out; one that ends early fails the attempt."""
    try:
        first = await anext(chunks, b"")
    except ObjectMissing:
        return
    await export.begin(name)
    await export.write_bytes(first)
    async for chunk in chunks:
        await export.write_bytes(chunk)
    await export.end()
