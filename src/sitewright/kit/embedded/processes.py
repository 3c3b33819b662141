"""Finds and ends the PostgreSQL processes of a cluster, regardless of their parent, through /proc."""

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sitewright.kit.embedded.errors import EmbeddedPostgresError
from sitewright.kit.embedded.waiting import wait_until

GRACE_SECONDS = 10
FORCE_SECONDS = 5


@dataclass(frozen=True)
class Postmaster:
    """The content of `postmaster.pid`; it may be stale."""

    pid: int
    state: str

    @property
    def is_ready(self) -> bool:
        return self.state == "ready"


def recorded_postmaster(cluster: Path) -> Postmaster | None:
    try:
        lines = (cluster / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        return Postmaster(int(lines[0]), lines[7].strip() if len(lines) > 7 else "")
    except (FileNotFoundError, IndexError, ValueError):
        return None


def serves(pid: int, cluster: Path) -> bool:
    """Whether the process is alive and is a PostgreSQL of this cluster, which is its working directory."""
    try:
        here = Path(f"/proc/{pid}/cwd").stat()
        there = cluster.stat()
    except OSError:
        return False
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino) and _program(pid) in {"postgres", ""}


def end_orphans(cluster: Path) -> None:
    """Wait for the processes of a server whose parent or postmaster was killed, and end those that remain."""
    postmaster = recorded_postmaster(cluster)
    if postmaster is not None and serves(postmaster.pid, cluster):
        _send(signal.SIGINT, [postmaster.pid])
    for force, seconds in (
        (signal.SIGQUIT, GRACE_SECONDS),
        (signal.SIGKILL, FORCE_SECONDS),
        (None, FORCE_SECONDS),
    ):
        if wait_until(lambda: not _serving(cluster), seconds):
            return
        if force is not None:
            _send(force, _serving(cluster))
    raise EmbeddedPostgresError(
        f"Processes of an earlier PostgreSQL still use {cluster} and cannot be ended: {_serving(cluster)}. "
        "End them, then start again."
    )


def remove_foreign_lock_file(path: Path) -> None:
    """Remove a stale lock file whose process id was reused by another program.

    PostgreSQL would take that process for a running server and refuse to start. It handles lock files of ended
    processes itself. Only for the holder of the folder's lock, after `end_orphans`.
    """
    try:
        pid = int(path.read_text(encoding="utf-8", errors="replace").partition("\n")[0])
    except FileNotFoundError:
        return
    except ValueError:
        pid = None
    if pid is None or Path(f"/proc/{pid}").exists():
        path.unlink()


def _serving(cluster: Path) -> list[int]:
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if serves(pid, cluster)]


def _program(pid: int) -> str:
    """The program's name; empty while the process is exiting."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name.removesuffix(" (deleted)")
    except OSError:
        return ""


def _send(force: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, force)
