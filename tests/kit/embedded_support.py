"""Support for the embedded server's tests: folders, queries, processes to kill."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg

from tests.support.timeouts import HANG_SECONDS

OWNER_PROCESS = """
import signal, sys
from pathlib import Path
from sitewright.kit.embedded import EmbeddedPostgres
embedded = EmbeddedPostgres(Path(sys.argv[1]))
embedded.start()
sys.stdout.write("started")
sys.stdout.flush()
signal.pause()
"""


@contextmanager
def new_folder(mode: int) -> Iterator[Path]:
    # Not pytest's tmp_path, which root's pytest closes to every other account.
    folder = Path(tempfile.mkdtemp(prefix="embedded-", dir="/tmp"))
    folder.chmod(mode)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def query(url: str, sql: str) -> Any:
    async def run() -> Any:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    # With a loop of its own, so that the loop of the session's other tests stays in place.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(run())


def eventually(condition: Callable[[], object], seconds: float = HANG_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


def processes_below(folder: Path) -> list[int]:
    """Every running process whose working directory is below the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(folder):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def servers_of(data_dir: Path) -> list[int]:
    """Like `processes_below`, also if the server sees its folder at another path."""
    cluster = (data_dir / "postgres" / "data").stat()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.path.samestat((entry / "cwd").stat(), cluster):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def start_owner_process(data_dir: Path, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", OWNER_PROCESS, str(data_dir)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def await_started(owner: subprocess.Popen[bytes]) -> None:
    assert owner.stdout is not None
    assert owner.stdout.read(len("started")) == b"started"


def status_of(pid: int, field: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(field + ":"))
