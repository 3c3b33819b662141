"""A clock that jumps while the service runs, ahead and back. That of PostgreSQL stays, as on a machine of its own."""

import asyncio
import time
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.chaos.stage import journal_of, open_clients, publish_shop, report, visiting
from tests.chaos.test_kills import END_LEASES, SUCCESSES, all_mails_are_sent, has_written
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.journal import OF_OUR_OWN
from tests.support.service import COMMAND, Service, make_demo, owner_of, started

pytestmark = pytest.mark.system
SOURCE = Path(__file__).with_name("jumping_clock.c")
HOUR = 3600
AHEAD = [hours * HOUR for hours in (2, 0, -2, 0, 24, -24, 0)[: share(4, 7)]]
"""The seconds by which the clock is ahead after each jump."""
WRITES_BETWEEN = share(10, 50)


class JumpingService(Service):
    """Its clock is ahead of the real one by what the file says."""

    @property
    def offset(self) -> Path:
        return self.data_dir.parent / "offset"

    def jump(self, seconds: int) -> None:
        with self.offset.open("r+b", buffering=0) as file:
            file.write(seconds.to_bytes(8, "little", signed=True))

    async def launch(self, log: BinaryIO, variables: dict[str, str]) -> asyncio.subprocess.Process:
        library = self.data_dir.parent / "jumping_clock.so"
        compiler = await asyncio.create_subprocess_exec("gcc", "-shared", "-fPIC", "-O2", "-o", library, SOURCE)
        assert await compiler.wait() == 0
        self.offset.write_bytes(bytes(8))
        clock = {"LD_PRELOAD": str(library), "JUMPING_CLOCK": str(self.offset)}
        return await asyncio.create_subprocess_exec(
            *COMMAND, "serve", *self.options, env=variables | clock, stdout=log, stderr=log
        )


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[JumpingService]:
    await make_demo(tmp_path / "var")
    for folder in (
        tmp_path,
        tmp_path.parent,
    ):  # PostgreSQL runs under another account, and reads the library and the file
        folder.chmod(0o755)
    jumping = JumpingService(tmp_path / "var")
    async with started(jumping):
        yield jumping


async def test_a_clock_that_jumps_loses_and_duplicates_nothing(service: JumpingService) -> None:
    """Clients and visitors do not notice it, and every email is sent."""
    journal = journal_of(service)
    async with open_clients(service, 4) as clients:
        customer = await publish_shop(service, clients[0])
        async with visiting(service, customer), journal.kept_by(clients):
            for seconds in AHEAD:
                await eventually(partial(has_written, journal, journal.acknowledged + WRITES_BETWEEN))
                service.jump(seconds)
                await eventually(partial(is_ahead, service, seconds))
            await eventually(partial(has_written, journal, journal.acknowledged + WRITES_BETWEEN))
        async with owner_of(service) as rows:
            await journal.check(rows)
            await rows.execute(END_LEASES)
            await eventually(partial(all_mails_are_sent, rows))
    report(f"{len(AHEAD)} jumps of the clock: {journal.acknowledged} writes, heard {dict(journal.heard)}")
    bugs = [line for line in service.log.read_text().splitlines() if '"level":"error"' in line or "Traceback" in line]
    assert bugs == []
    assert set(journal.heard) - OF_OUR_OWN <= SUCCESSES


async def is_ahead(service: JumpingService, seconds: int) -> bool:
    """Whether the service's clock shows it."""
    async with service.client() as client:
        shown = parsedate_to_datetime((await client.get("/health/live")).headers["date"])
    return round((shown.timestamp() - time.time()) / HOUR) == seconds // HOUR
