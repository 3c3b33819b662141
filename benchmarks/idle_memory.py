"""Memory of the whole service while it has nothing to do: `sitewright serve`, with the processes of two cores.

The proportional set size (PSS) of all its processes: a page that several share counts once. The figure compares it with
what was measured before it was reduced (decision 0175).
"""

import time
from pathlib import Path

from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.parts import tree_of
from benchmarks.service import Service
from benchmarks.start_up import TWO_CORES, running_everything
from sitewright.kit.db import UNUSED_SECONDS

BEFORE_MIB = 325.0
"""Measured at the same time as 260 afterwards, on a busy machine, three minutes after the start."""
IDLE_SECONDS = 3 * UNUSED_SECONDS
"""Connections that the start has left behind are closed by then."""
GOAL = Goal("memory of all idle processes before it was reduced / now", 1.25)


def measure(service: Service) -> list[Figure]:
    folder = service.folder / "idle-memory"
    folder.mkdir()
    with running_everything(folder, **TWO_CORES) as pid:
        time.sleep(IDLE_SECONDS)
        pages = {each: _pss_mib(each) for each in tree_of(pid)}
        shared = sum(_shared_memory_mib(each) for each in pages)
        database = sum(size for each, size in pages.items() if _is_database(each)) - shared
    total = sum(pages.values())
    service_mib = total - database - shared
    note = (
        f"{total:.0f} MiB in {len(pages)} processes, before {BEFORE_MIB:.0f}: the service {service_mib:.0f},"
        f" PostgreSQL's shared memory {shared:.0f}, its processes {database:.0f}"
    )
    return [GOAL.measured(BEFORE_MIB / total, note)]


def _pss_mib(pid: int) -> float:
    return _rolled_up(pid, "Pss")


def _shared_memory_mib(pid: int) -> float:
    return _rolled_up(pid, "Pss_Shmem")


def _rolled_up(pid: int, field: str) -> float:
    text = (Path("/proc") / str(pid) / "smaps_rollup").read_text()
    return int(text.partition(f"\n{field}:")[2].split()[0]) / 1024


def _is_database(pid: int) -> bool:
    return "postgres" in (Path("/proc") / str(pid) / "comm").read_text()


MEASUREMENT = Measurement([GOAL], measure)
