"""The service's processes, and their memory."""

from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.figures import MeasurementFailed


def pid_of(log: Path, part: str) -> int:
    """The process ids that the supervisor logged last."""
    return pids_of(log, part)[-1]


def pids_of(log: Path, part: str) -> list[int]:
    lines = (msgspec.json.decode(line) for line in log.read_bytes().splitlines() if line.startswith(b'{"'))
    pids = [int(line["pid"]) for line in lines if (line["message"], line.get("part")) == ("started", part)]
    if not pids:
        raise MeasurementFailed(f"the log names no {part} process")
    return pids


def memory_mib(pid: int, which: Literal["VmRSS", "VmHWM"] = "VmRSS") -> float:
    """Memory of the process, including shared memory: now, or its maximum; 0 if it has ended."""
    status = (Path("/proc") / str(pid) / "status").read_text()
    kib = status.partition(f"{which}:")[2].split()[:1] or ["0"]
    return int(kib[0]) / 1024


def tree_of(pid: int) -> list[int]:
    """The process and everything that it started."""
    tasks = (Path("/proc") / str(pid) / "task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [pid, *(each for child in children for each in tree_of(child))]
