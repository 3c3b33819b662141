"""A full disk: a small tmpfs under the data folder of the real service, which only root can mount."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.chaos.stage import journal_of, limit, open_clients, publish_shop, report, resident_mib, visiting
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.journal import OF_OUR_OWN, Journal
from tests.support.service import Service, owner_of

pytestmark = pytest.mark.system
DISK_MIB = 256
FULL_SECONDS = share(5, 20)
MOST_MIB = 400


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    options = f"size={DISK_MIB}m,mode=755"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
async def service(disk: Path) -> AsyncIterator[Service]:
    service = Service(disk / "var", workers=1)
    service.log = disk.parent / "service.log"
    try:
        await service.start()
        yield service
    finally:
        await service.stop()


def fill(disk: Path) -> Path:
    """Fill it to the last byte."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(2**20))
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))
    return ballast


async def test_a_full_disk_is_503_until_there_is_free_space(service: Service, disk: Path) -> None:
    """A write may fail; acknowledged writes stay, visitors notice nothing, and freeing space is enough to recover."""
    journal = journal_of(service)
    async with open_clients(service, 4) as clients:
        customer = await publish_shop(service, clients[0])
        async with visiting(service, customer), journal.kept_by(clients):
            await eventually(lambda: journal.acknowledged > 10)
            ballast = fill(disk)
            await eventually(lambda: journal.heard["503"] > 0)
            await asyncio.sleep(FULL_SECONDS)
            ballast.unlink()
            held = journal.acknowledged
            await eventually(partial(has_more_writes, journal, held), within=limit(10))
            largest = max(resident_mib(pid) for pid in service.children())
        async with owner_of(service) as rows:
            await journal.check(rows)
    report(
        f"a full disk: {journal.acknowledged} writes, heard {dict(journal.heard)}, largest process {largest:.0f} MiB"
    )
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201", "503"}
    assert largest < MOST_MIB


def has_more_writes(journal: Journal, held: int) -> bool:
    return journal.acknowledged > held + 10
