"""The number of CPUs that this process may use (affinity, cgroup quota), which determines process and thread counts.

Imports only the standard library, because the settings use it.
"""

import math
import os
from pathlib import Path

SYSTEM = Path("/")


def usable_cpus() -> int:
    """The CPUs of the affinity mask, or of the cgroup CPU quota where that is less; at least one."""
    quota = cpu_quota()
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return available if quota is None else max(1, min(available, math.ceil(quota)))


def cpu_quota(root: Path = SYSTEM) -> float | None:
    """The lowest quota, in CPUs, of this process's cgroup and its ancestors; None if there is none."""
    quotas = [
        quota
        for hierarchy, is_unified in _mounted(root)
        for group in _ancestry(root, hierarchy, is_unified=is_unified)
        if (quota := (_quota_v2 if is_unified else _quota_v1)(group)) is not None
    ]
    return min(quotas, default=None)


def _mounted(root: Path) -> list[tuple[Path, bool]]:
    """The mount points of cgroup hierarchies with a CPU controller, and whether they are version 2."""
    found = []
    for line in _read(root / "proc/self/mountinfo").splitlines():
        mount, _, kind = line.partition(" - ")
        file_system, _, options = kind.partition(" ")
        if file_system == "cgroup2" or (file_system == "cgroup" and "cpu" in options.split(" ")[-1].split(",")):
            found.append((root / mount.split(" ")[4].lstrip("/"), file_system == "cgroup2"))
    return found


def _ancestry(root: Path, hierarchy: Path, *, is_unified: bool) -> list[Path]:
    """This process's cgroup and its ancestors; some may not exist inside a container."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, name = line.split(":", 2)
        if (controllers == "") if is_unified else ("cpu" in controllers.split(",")):
            relative = Path(name.lstrip("/"))
            return [hierarchy / each for each in (relative, *relative.parents)]
    return []


def _quota_v2(group: Path) -> float | None:
    quota, _, period = _read(group / "cpu.max").partition(" ")
    return _cpus(quota, period)


def _quota_v1(group: Path) -> float | None:
    return _cpus(_read(group / "cpu.cfs_quota_us"), _read(group / "cpu.cfs_period_us"))


def _cpus(quota: str, period: str) -> float | None:
    """`max` (version 2), -1 (version 1) and a missing file mean no limit."""
    try:
        microseconds, each = int(quota), int(period)
    except ValueError:
        return None
    return microseconds / each if microseconds > 0 and each > 0 else None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
