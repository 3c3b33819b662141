"""An import that is killed at any moment leaves nothing visible, and continues when it is run again."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from sitewright.kit.advisory_locks import Lock, try_lock
from sitewright.transfer.archive import open_archive
from sitewright.transfer.errors import TransferError
from sitewright.transfer.imports.service import discard
from sitewright.transfer.store import connect
from tests.support.cast import OWN_BRAND
from tests.support.eventually import eventually
from tests.support.forked import ForkedProcess, fork_command
from tests.support.service import environment
from tests.support.transfer import Installation, export, tables_of
from tests.transfer.conftest import Exported


class Interrupted(Exception):
    pass


@pytest.fixture
def exported(only_archive: Exported) -> Exported:
    return only_archive


@pytest.mark.parametrize("after", [1, 8, 30, 60])
async def test_an_interrupted_import_continues_where_it_stopped(
    exported: Exported, target: Installation, after: int
) -> None:
    """Interrupted while files are read, media are written, and rows are inserted."""
    steps: list[str] = []

    def interrupt(step: str, _count: int) -> None:
        steps.append(step)
        if len(steps) == after:
            raise Interrupted

    with pytest.raises(Interrupted):
        await target.load(exported.file, exported.key, on_progress=interrupt)
    assert (await target.is_empty(), len(await target.staged())) == (True, 1)
    assert await target.load(exported.file, exported.key) == OWN_BRAND
    assert await target.staged() == []
    assert await target.owner.fetchval("select count(*) from users") == len(tables_of(exported.file)["users.ndjson"])


async def test_staged_blocks_are_not_loaded_again(
    exported: Exported, target: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitewright.transfer.archive.BLOCK_BYTES", 512)
    done = 0

    def interrupt(_step: str, _count: int) -> None:
        nonlocal done
        done += 1
        if done == 40:
            raise Interrupted

    with pytest.raises(Interrupted):
        await target.load(exported.file, exported.key, on_progress=interrupt)
    assert await target.load(exported.file, exported.key) == OWN_BRAND
    for name, rows in tables_of(exported.file).items():
        if name in ("users.ndjson", "packages.ndjson", "pages.ndjson"):
            await target.owner.execute("select set_config('sitewright.brand_ref', '1', false)")
            assert await target.owner.fetchval(f"select count(*) from {name.removesuffix('.ndjson')}") == len(rows)


async def test_a_dry_run_keeps_what_an_interrupted_import_has_staged(exported: Exported, target: Installation) -> None:
    def interrupt(step: str, _count: int) -> None:
        if step == "insert":
            raise Interrupted

    with pytest.raises(Interrupted):
        await target.load(exported.file, exported.key, on_progress=interrupt)
    [staging] = await target.staged()
    assert await target.check(exported.file, exported.key) == []
    assert await target.staged() == [staging]
    assert await target.owner.fetchval(f"select bool_and(is_complete) from {staging}.files") is True
    assert await target.load(exported.file, exported.key) == OWN_BRAND


async def test_an_interrupted_import_can_be_discarded(exported: Exported, target: Installation) -> None:
    def interrupt(_step: str, _count: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        await target.load(exported.file, exported.key, on_progress=interrupt)
    assert len(await target.staged()) == 1
    with open_archive(exported.file) as archive:
        await discard(target.owner, archive)
    assert (await target.is_empty(), await target.staged()) == (True, [])


async def test_a_running_import_is_neither_checked_nor_discarded(exported: Exported, target: Installation) -> None:
    def interrupt(_step: str, _count: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        await target.load(exported.file, exported.key, on_progress=interrupt)
    running = await connect(target.url, "tests")
    with open_archive(exported.file) as archive:
        assert await try_lock(running, Lock.BRAND_IMPORT)
        for attempt in (target.check(exported.file, exported.key), discard(target.owner, archive)):
            with pytest.raises(TransferError, match="Another import is under way"):
                await attempt
    assert len(await target.staged()) == 1
    await running.close()


@pytest.mark.parametrize("table", ["{staging}.files", "media_objects", "brands"])
async def test_a_killed_import_is_completed_by_the_next_one(
    exported: Exported, target: Installation, tmp_path: Path, table: str
) -> None:
    """Killed while it waits for a lock: as it begins, while it writes media, and in its last transaction."""
    with open_archive(exported.file) as archive:
        staging = f"brand_import_{archive.digest[:16]}"
    locked = table.format(staging=staging)
    if staging in locked:
        await target.owner.execute(
            f"create schema {staging}; create unlogged table {locked} (name text primary key,"
            " blocks bigint not null default 0, is_complete boolean not null default false,"
            " is_sealed boolean not null default false)"
        )
    async with locking(target, locked) as process_waits, importing(exported, target, tmp_path) as process:
        await eventually(process_waits)
        process.send_signal(signal.SIGKILL)
        assert await process.wait() == -signal.SIGKILL
    await eventually(lambda: has_no_other_session(target))
    assert await target.is_empty()
    assert await target.load(exported.file, exported.key) == OWN_BRAND
    again = tmp_path / "again.zip"
    await export(target.resources, target.url, again, exported.recipient)
    before, after = tables_of(exported.file), tables_of(again)
    for name in ("users.ndjson", "sites.ndjson", "site_files.ndjson", "media_chunks.ndjson"):
        assert after[name] == before[name]


@asynccontextmanager
async def importing(exported: Exported, target: Installation, folder: Path) -> AsyncIterator[ForkedProcess]:
    """The command in a process of its own."""
    command = ("brands", "import", str(exported.file), "--key", str(exported.key))
    with (folder / "import.log").open("wb") as log:
        process = await fork_command(
            *command,
            env=environment(folder, database_url=target.url, master_key=target.resources.settings.master_key),
            output=log,
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def locking(target: Installation, table: str) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Lock a table; gives a function that says whether somebody waits for it."""
    holder = await asyncpg.connect(target.url)
    try:
        await holder.execute(f"begin; lock table {table} in access exclusive mode")

        async def is_waited_for() -> bool:
            query = "select exists (select from pg_locks where not granted and relation = $1::text::regclass)"
            return bool(await holder.fetchval(query, table))

        yield is_waited_for
    finally:
        await holder.close()


async def has_no_other_session(target: Installation) -> bool:
    return not await target.owner.fetchval(
        "select exists (select from pg_stat_activity where datname = current_database()"
        " and application_name = 'sitewright brands')"
    )
