"""`sitewright media move`: everything arrives, also when it is killed, and while media come, are read and go."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings
from sitewright.sites.media.storage import moving, service
from sitewright.sites.media.storage.interface import CHUNK_BYTES
from sitewright.sites.media.storage.service import ObjectMissing
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.chunks import chunked
from tests.support.eventually import eventually
from tests.support.forked import fork_command
from tests.support.s3_server import Bucket
from tests.support.service import environment, run_command
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

SITE = 7
pytestmark = pytest.mark.usefixtures("clean")


@pytest.fixture
async def both(database_url: str, settings: Settings, bucket: Bucket) -> AsyncIterator[Resources]:
    """Resources with both stores; new objects go to PostgreSQL."""
    chosen = msgspec.structs.replace(bucket.settings(settings), media_store="postgresql")
    async with open_resources(chosen, database_url, name="tests", lifecycle=LIFECYCLE, mail=MAIL) as opened:
        yield opened


def in_s3(resources: Resources) -> Resources:
    return msgspec.structs.replace(resources, settings=msgspec.structs.replace(resources.settings, media_store="s3"))


async def put(resources: Resources, content: bytes, brand: int = OWN_BRAND) -> str:
    stored = await service.put(resources, brand, SITE, chunked(content))
    async with resources.database.transaction(brand) as tx:
        assert await service.keep(tx, [stored.key])
    return stored.key


async def read(resources: Resources, key: str, brand: int = OWN_BRAND) -> bytes:
    return b"".join([chunk async for chunk in service.read(resources, brand, key)])


async def in_postgresql(connection: OwnerConnection) -> int:
    """Chunks are read as the owner, brand by brand: their row-level security is forced."""
    found = 0
    for brand in (OWN_BRAND, OTHER_BRAND):
        await connection.execute(f"set sitewright.brand_ref = '{brand}'")
        found += await connection.fetchval("select count(distinct object_key) from media_chunks")
    await connection.execute("reset sitewright.brand_ref")
    return found


async def test_everything_moves_there_and_back(
    both: Resources, bucket: Bucket, owner_connection: OwnerConnection
) -> None:
    contents = [bytes([number]) * (number * CHUNK_BYTES) for number in range(4)] + [os.urandom(6 * 2**20)]
    keys = [await put(both, content) for content in contents]
    other = await put(both, b"of another brand", OTHER_BRAND)
    outcome = await moving.move_all(both, "postgresql", "s3")
    assert (outcome.moved, outcome.bytes, outcome.left.kept) == (6, sum(map(len, contents)) + 16, 0)
    assert sorted(bucket.keys()) == sorted([*keys, other])
    assert await in_postgresql(owner_connection) == 0
    assert [await read(both, key) for key in keys] == contents
    assert (await moving.move_all(both, "postgresql", "s3")).moved == 0
    assert (await moving.move_all(both, "s3", "postgresql")).moved == 6
    assert bucket.keys() == []
    assert [await read(both, key) for key in keys] == contents
    assert await read(both, other, OTHER_BRAND) == b"of another brand"


async def test_of_two_moves_at_once_one_is_refused(both: Resources) -> None:
    contents = [os.urandom(1000) for _ in range(30)]
    keys = [await put(both, content) for content in contents]
    moves = (moving.move_all(both, "postgresql", "s3") for _ in range(2))
    outcomes = await asyncio.gather(*moves, return_exceptions=True)
    assert sum(isinstance(each, moving.AnotherMove) for each in outcomes) == 1
    assert [await read(both, key) for key in keys] == contents
    assert (await moving.move_all(both, "postgresql", "s3")).moved == 0


async def test_an_upload_that_is_not_completed_stays(both: Resources, bucket: Bucket) -> None:
    stored = await service.put(both, OWN_BRAND, SITE, chunked(b"pending"))
    outcome = await moving.move_all(both, "postgresql", "s3")
    assert (outcome.moved, outcome.left.pending) == (0, 1)
    async with both.database.transaction(OWN_BRAND) as tx:
        assert await service.keep(tx, [stored.key])
    assert (await moving.move_all(both, "postgresql", "s3")).moved == 1
    assert bucket.content(stored.key) == b"pending"


async def test_a_reader_goes_on_in_the_other_store(both: Resources) -> None:
    content = os.urandom(3 * CHUNK_BYTES)
    key = await put(both, content)
    reading = service.read(both, OWN_BRAND, key)
    beginning = await anext(reading)
    await moving.move_all(both, "postgresql", "s3")
    assert beginning + b"".join([chunk async for chunk in reading]) == content


async def test_nothing_is_lost_while_media_are_uploaded_read_and_deleted(
    both: Resources, bucket: Bucket, owner_connection: OwnerConnection
) -> None:
    contents = {await put(both, content): content for content in (os.urandom(2 * CHUNK_BYTES) for _ in range(12))}
    deleted = list(contents)[:6:2]

    async def uploads() -> None:
        for _ in range(6):
            content = os.urandom(1000)
            contents[await put(in_s3(both), content)] = content

    async def reads() -> None:
        for key in list(contents.keys() - set(deleted)) * 3:
            assert await read(both, key) == contents[key]

    async def deletes() -> None:
        for key in deleted:
            async with both.database.transaction(OWN_BRAND) as tx:
                await service.discard(tx, [key])
            await service.purge(both)

    await asyncio.gather(moving.move_all(both, "postgresql", "s3"), uploads(), reads(), deletes())
    await moving.move_all(both, "postgresql", "s3")
    await service.purge(both)
    kept = contents.keys() - set(deleted)
    assert sorted(bucket.keys()) == sorted(kept)
    assert await in_postgresql(owner_connection) == 0
    assert {key: await read(both, key) for key in kept} == {key: contents[key] for key in kept}
    with pytest.raises(ObjectMissing):
        await read(both, deleted[0])


async def test_a_move_that_is_killed_is_resumed(
    both: Resources, bucket: Bucket, owner_connection: OwnerConnection, database_url: str, tmp_path: Path
) -> None:
    contents = {await put(both, content): content for content in (os.urandom(CHUNK_BYTES + 7) for _ in range(16))}
    variables = environment(tmp_path, database_url=database_url, **bucket.values())
    process = await fork_command("media", "move", "--to", "s3", env=variables)
    await eventually(lambda: len(bucket.keys()) >= 3)
    process.send_signal(signal.SIGKILL)
    await asyncio.wait_for(process.wait(), HANG_SECONDS)
    assert len(bucket.keys()) < len(contents), "it was killed in the middle"
    for key, content in contents.items():
        assert await read(both, key) == content
    arguments = ("media", "move", "--to", "s3")
    code, shown = await run_command(tmp_path, *arguments, database_url=database_url, **bucket.values())
    assert (code, "Left in postgresql: 0." in shown) == (0, True), shown
    assert sorted(bucket.keys()) == sorted(contents)
    assert await in_postgresql(owner_connection) == 0
    assert await owner_connection.fetchval("select count(*) from media_objects where other_store is not null") == 0
    for key, content in contents.items():
        assert await read(both, key) == content


async def test_what_was_being_moved_when_it_was_deleted_is_erased_from_both_stores(
    both: Resources, bucket: Bucket, owner_connection: OwnerConnection
) -> None:
    """The move was killed between copy and switch, and never run again."""
    key = await put(both, b"content")
    bucket.client.put_object(Bucket=bucket.name, Key=key, Body=b"content")
    await owner_connection.execute("update media_objects set other_store = 's3'")
    async with both.database.transaction(OWN_BRAND) as tx:
        await service.discard(tx, [key])
    await service.purge(both)
    assert bucket.keys() == [key], "a move may still be running"
    await owner_connection.execute("update media_objects set delete_after = delete_after - interval '61 minutes'")
    await service.purge(both)
    assert bucket.keys() == []
    assert await in_postgresql(owner_connection) == 0
