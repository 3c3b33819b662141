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
    """The main server process and its state as recorded in `postmaster.pid`; the file may be stale."""

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


def belongs_to_cluster(pid: int, cluster: Path) -> bool:
    """Whether the process is alive and is PostgreSQL with the cluster's folder as its working directory."""
    try:
        working_folder = Path(f"/proc/{pid}/cwd").stat()
        cluster_folder = cluster.stat()
    except OSError:
        return False
    return os.path.samestat(working_folder, cluster_folder) and _program(pid) in {"postgres", ""}


def end_orphans(cluster: Path) -> None:
    """End the processes that a killed server left behind, with stronger signals for those that do not end in time."""
    postmaster = recorded_postmaster(cluster)
    if postmaster is not None and belongs_to_cluster(postmaster.pid, cluster):
        _send(signal.SIGINT, [postmaster.pid])
    for seconds, next_signal in (
        (GRACE_SECONDS, signal.SIGQUIT),
        (FORCE_SECONDS, signal.SIGKILL),
        (FORCE_SECONDS, None),
    ):
        if wait_until(lambda: not _cluster_pids(cluster), seconds):
            return
        if next_signal is not None:
            _send(next_signal, _cluster_pids(cluster))
    raise EmbeddedPostgresError(
        f"Processes of an earlier PostgreSQL still use {cluster} and cannot be ended: {_cluster_pids(cluster)}. "
        "End them, then start again."
    )


def remove_foreign_lock_file(path: Path) -> None:
    """Remove a stale lock file whose process id was reused by another program.

    PostgreSQL would take that process for a running server and refuse to start. It handles lock files of ended
    processes itself. Call it only while holding the folder's lock, and after `end_orphans`.
    """
    try:
        pid = int(path.read_text(encoding="utf-8", errors="replace").partition("\n")[0])
    except FileNotFoundError:
        return
    except ValueError:
        pid = None
    if pid is None or Path(f"/proc/{pid}").exists():
        path.unlink()


def _cluster_pids(cluster: Path) -> list[int]:
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if belongs_to_cluster(pid, cluster)]


def _program(pid: int) -> str:
    """The program's name; empty while the process is exiting."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name.removesuffix(" (deleted)")
    except OSError:
        return ""


def _send(sent: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, sent)
