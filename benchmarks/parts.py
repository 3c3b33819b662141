"""The processes of the service, and their memory."""

from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.figures import MeasurementFailed


def pid_of(log: Path, part: str) -> int:
    """As the supervisor told it last in its log."""
    return pids_of(log, part)[-1]


def pids_of(log: Path, part: str) -> list[int]:
    lines = (msgspec.json.decode(line) for line in log.read_bytes().splitlines() if line.startswith(b'{"'))
    pids = [int(line["pid"]) for line in lines if (line["message"], line.get("part")) == ("started", part)]
    if not pids:
        raise MeasurementFailed(f"the service told of no {part}")
    return pids


def memory_mib(pid: int, which: Literal["VmRSS", "VmHWM"] = "VmRSS") -> float:
    """Of the process itself, with what it shares with others: now, or at the most."""
    status = (Path("/proc") / str(pid) / "status").read_text()
    return int(status.partition(f"{which}:")[2].split()[0]) / 1024
