"""Objects come back as they were written, in parts too; what was not kept, or was discarded, is deleted."""

from datetime import timedelta

import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.media.storage import service
from sitewright.sites.media.storage.interface import CHUNK_BYTES
from sitewright.sites.media.storage.service import ObjectMissing
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.chunks import chunked
from tests.support.users import OwnerConnection

SITE = 7
CONTENT = bytes(range(256)) * (CHUNK_BYTES * 2 // 256) + b"the last, shorter chunk"


async def read(resources: Resources, key: str, start: int = 0, end: int | None = None, brand: int = OWN_BRAND) -> bytes:
    return b"".join([chunk async for chunk in service.read(resources, brand, key, start, end)])


async def keep(resources: Resources, *keys: str) -> bool:
    async with resources.database.transaction(OWN_BRAND) as tx:
        return await service.keep(tx, keys)


async def rows(connection: OwnerConnection) -> int:
    await connection.execute(f"set sitewright.brand_ref = '{OWN_BRAND}'")
    count: int = await connection.fetchval(
        "select (select count(*) from media_chunks) + (select count(*) from media_objects)"
    )
    return count


@pytest.mark.usefixtures("clean")
async def test_an_object_is_read_whole_and_in_parts(resources: Resources) -> None:
    stored = await service.put(resources, OWN_BRAND, SITE, chunked(CONTENT))
    assert stored.bytes == len(CONTENT)
    assert await read(resources, stored.key) == CONTENT
    for start, end in ((0, 1), (CHUNK_BYTES - 1, CHUNK_BYTES + 1), (CHUNK_BYTES, 2 * CHUNK_BYTES), (600_000, None)):
        assert await read(resources, stored.key, start, end) == CONTENT[start:end]
    chunks = [len(chunk) async for chunk in service.read(resources, OWN_BRAND, stored.key)]
    assert chunks == [CHUNK_BYTES, CHUNK_BYTES, 23], "never the whole object at once"


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES, 2 * CHUNK_BYTES])
async def test_sizes_at_the_boundaries_of_chunks(resources: Resources, size: int) -> None:
    stored = await service.put(resources, OWN_BRAND, SITE, chunked(CONTENT[:size]))
    assert stored.bytes == size
    assert await read(resources, stored.key) == CONTENT[:size]
    assert await read(resources, stored.key, 0, size) == CONTENT[:size]


@pytest.mark.usefixtures("clean")
async def test_another_brand_has_no_such_object(resources: Resources) -> None:
    stored = await service.put(resources, OWN_BRAND, SITE, chunked(CONTENT))
    with pytest.raises(ObjectMissing):
        await read(resources, stored.key, brand=OTHER_BRAND)


@pytest.mark.usefixtures("clean")
async def test_an_upload_that_is_never_completed_is_deleted(
    resources: Resources, owner_connection: OwnerConnection
) -> None:
    kept = await service.put(resources, OWN_BRAND, SITE, chunked(CONTENT))
    pending = await service.put(resources, OWN_BRAND, SITE, chunked(CONTENT))
    assert await keep(resources, kept.key)
    await service.purge(resources)
    assert await read(resources, pending.key) == CONTENT
    clock.shift(timedelta(hours=1, seconds=1).total_seconds())
    assert not await keep(resources, pending.key), "it is due for deletion"
    await service.purge(resources)
    with pytest.raises(ObjectMissing):
        await read(resources, pending.key)
    assert await read(resources, kept.key) == CONTENT
    assert await rows(owner_connection) == 4


@pytest.mark.usefixtures("clean")
async def test_discarded_objects_are_deleted(resources: Resources, owner_connection: OwnerConnection) -> None:
    stored = await service.put(resources, OWN_BRAND, SITE, chunked(CONTENT))
    await keep(resources, stored.key)
    async with resources.database.transaction(OWN_BRAND) as tx:
        await service.discard(tx, [stored.key])
    await service.purge(resources)
    await service.purge(resources)
    assert await rows(owner_connection) == 0


@pytest.mark.usefixtures("clean")
async def test_more_than_one_batch_is_deleted(
    resources: Resources, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PURGE_BATCH", 2)
    for _ in range(5):
        await service.put(resources, OWN_BRAND, SITE, chunked(b"small"))
    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await service.discard_site(tx, SITE)
    await service.purge(resources)
    assert await rows(owner_connection) == 0
