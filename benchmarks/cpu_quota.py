"""Limits processes to a share of a core by a CPU quota, if cgroup v1 is writable."""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

HIERARCHY = Path("/sys/fs/cgroup/cpu")
PERIOD_MICROSECONDS = 10_000  # short, so that a process out of quota pauses for milliseconds only


def is_available() -> bool:
    return os.access(HIERARCHY, os.W_OK) and (HIERARCHY / "cpu.cfs_quota_us").exists()


@contextlib.contextmanager
def held_to(share: float, pids: Sequence[int]) -> Iterator[None]:
    """Limit each of the processes, separately, to `share` of a core."""
    groups = [HIERARCHY / f"sitewright-bench-{pid}" for pid in pids]
    try:
        for group, pid in zip(groups, pids, strict=True):
            group.mkdir()
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
            (group / "cpu.cfs_quota_us").write_text(str(round(PERIOD_MICROSECONDS * share)))
            (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        for group in groups:
            _remove(group)


def _remove(group: Path) -> None:
    for pid in (group / "cgroup.procs").read_text().split() if group.exists() else []:
        with contextlib.suppress(OSError):
            (HIERARCHY / "cgroup.procs").write_text(pid)
    for _ in range(50):  # the kernel takes a moment to release a process
        with contextlib.suppress(OSError):
            group.rmdir()
        if not group.exists():
            return
        time.sleep(0.05)
