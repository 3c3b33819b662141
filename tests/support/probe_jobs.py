"""Job kinds for tests, and a worker process that runs them.

`python -m tests.support.probe_jobs DATABASE_URL DATA_DIR`: a worker until SIGTERM. Jobs write to DATA_DIR/journal.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec

from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import logs
from sitewright.kit.jobs import JobKind
from sitewright.kit.jobs.worker import run_worker
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings


class Note(msgspec.Struct):
    text: str
    seconds: float = 0


def journal_of(settings: Settings) -> Path:
    return settings.data_path / "journal"


async def _write(note: Note, resources: Resources) -> None:
    with journal_of(resources.settings).open("a") as journal:
        journal.write(note.text + "\n")
    if note.seconds:
        await asyncio.sleep(note.seconds)
        await _write(Note(f"{note.text} done"), resources)


async def _fail(note: Note, resources: Resources) -> None:
    await _write(note, resources)
    raise ValueError(f"{note.text} went wrong")


async def _kill(note: Note, resources: Resources) -> None:
    await _write(note, resources)
    os.kill(os.getpid(), signal.SIGKILL)


WRITE = JobKind("probe.write", Note, _write)
FAIL = JobKind("probe.fail", Note, _fail, attempts=2)
KILL = JobKind("probe.kill", Note, _kill)


async def main(database_url: str, data_dir: str) -> None:
    async with open_resources(
        Settings(data_dir=data_dir, workers=1), database_url, name="probe", lifecycle=LIFECYCLE, mail=MAIL
    ) as resources:
        await run_worker(resources, [WRITE, FAIL, KILL])


if __name__ == "__main__":
    logs.set_up()
    asyncio.run(main(*sys.argv[1:]))
