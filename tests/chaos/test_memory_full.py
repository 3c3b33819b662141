"""Full memory: the service in a cgroup with little memory left, in which the kernel kills its processes (root only)."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from tests.chaos.stage import journal_of, open_clients, postmaster_of, process_tree, report
from tests.chaos.test_kills import CUT_OFF, END_LEASES, SUCCESSES, all_mails_are_sent, has_written
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.journal import OF_OUR_OWN
from tests.support.service import Service, owner_of, running_service

pytestmark = pytest.mark.system
HIERARCHY = Path("/sys/fs/cgroup/memory")
ROUNDS, WRITES_BETWEEN = share(4, 20), share(10, 25)
FREE_MIB = 40
"""What the limit leaves beyond what the service uses."""
HOG = """
import sys, time
blocks = []
while True:
    if len(blocks) < int(sys.argv[1]):
        blocks.append(bytearray(b"x" * 2**20))
    else:
        time.sleep(0.1)
"""
"""Takes this many MiB."""
FIRST_TO_KILL = "1000"
PARTS = ("api", "worker", "edge", "PostgreSQL")


class MemoryGroup:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def hold(self, pids: list[int]) -> None:
        for pid in pids:
            with contextlib.suppress(OSError):  # it has ended
                (self.folder / "cgroup.procs").write_text(str(pid))

    def limit_to(self, size: int) -> None:
        (self.folder / "memory.limit_in_bytes").write_text(str(size))

    @property
    def used(self) -> int:
        """Without the page cache, which the kernel takes back first."""
        found = dict(line.split() for line in (self.folder / "memory.stat").read_text().splitlines())
        return int(found["total_rss"]) + int(found.get("total_shmem", 0))

    @property
    def kills(self) -> int:
        found = dict(line.split() for line in (self.folder / "memory.oom_control").read_text().splitlines())
        return int(found["oom_kill"])


@pytest.fixture
async def group() -> AsyncIterator[MemoryGroup]:
    folder = HIERARCHY / f"sitewright-tests-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be created here: {error}")
    yield MemoryGroup(folder)
    await eventually(partial(is_removed, folder))


def is_removed(folder: Path) -> bool:
    """The kernel takes a moment to release processes that have ended."""
    for pid in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(OSError):
            (HIERARCHY / "cgroup.procs").write_text(pid)
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not folder.exists()


@pytest.fixture
async def service(tmp_path: Path, group: MemoryGroup) -> AsyncIterator[Service]:
    async with running_service(tmp_path / "var") as running:
        group.hold(process_tree(running.process.pid))
        yield running


async def test_full_memory_loses_and_duplicates_nothing(service: Service, group: MemoryGroup) -> None:
    """Whichever process the kernel kills is started again, and continues when there is memory."""
    journal = journal_of(service)
    async with open_clients(service, 4) as clients:
        async with journal.kept_by(clients):
            for number in range(ROUNDS):
                await eventually(partial(has_written, journal, journal.acknowledged + WRITES_BETWEEN))
                prefer_to_kill(service, PARTS[number % len(PARTS)])
                await fill(group)
                await eventually(service.is_ready)
        async with owner_of(service) as rows:
            await journal.check(rows)
            await rows.execute(END_LEASES)
            await eventually(partial(all_mails_are_sent, rows))
    report(f"full memory: {group.kills} processes killed, {journal.acknowledged} writes, heard {dict(journal.heard)}")
    assert group.kills >= ROUNDS
    assert service.process.returncode is None
    assert set(journal.heard) - OF_OUR_OWN <= SUCCESSES | CUT_OFF | {"503"}


def prefer_to_kill(service: Service, part: str) -> None:
    """The kernel kills processes of this part first, instead of the largest ones."""
    pids = process_tree(postmaster_of(service)) if part == "PostgreSQL" else service.pids(part)
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            (Path("/proc") / str(pid) / "oom_score_adj").write_text(FIRST_TO_KILL)


async def fill(group: MemoryGroup) -> None:
    """Take all memory that is left, until the kernel has killed a process; then give it back."""
    before = group.kills
    group.limit_to(group.used + FREE_MIB * 2**20)
    hog = await asyncio.create_subprocess_exec(sys.executable, "-c", HOG, str(2 * FREE_MIB))
    group.hold([hog.pid])
    try:
        await eventually(lambda: group.kills > before)
    finally:
        with contextlib.suppress(ProcessLookupError):  # the kernel killed this one too
            hog.send_signal(signal.SIGKILL)
        await hog.wait()
        group.limit_to(2**40)
