"""A report about a million users, made by the service's own worker, compared with PostgreSQL's COPY TO of the same
rows."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import httpx
import msgspec

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.parts import memory_mib, pid_of
from benchmarks.population import MILLION
from benchmarks.service import Service
from sitewright.accounts.reports.files.store import FILES, query_of
from sitewright.accounts.reports.store import ReportCriteria

if TYPE_CHECKING:
    from sitewright.kit.pool import Connection

MOST_MIB = 200
SPEED = Goal("rows of a report of 1,000,000 users a second / PostgreSQL's COPY TO", 0.25)
MEMORY = Goal(f"{MOST_MIB} MiB / resident memory of the worker that makes it", 1)
LOOK_SECONDS = 0.1
LONGEST_SECONDS = 600
RESET_PEAK = "5"


class Copied(msgspec.Struct, frozen=True):
    rows: int
    seconds: float


def measure(service: Service) -> list[Figure]:
    worker = pid_of(service.log, "worker")
    return asyncio.run(_measure(service, worker))


async def _measure(service: Service, worker: int) -> list[Figure]:
    """COPY runs second, so that the warmer cache is not the service's advantage."""
    owner = await asyncpg.connect(service.database_url)
    try:
        await MILLION.fill(owner)
        _reset_peak(worker)
        seconds = await seconds_of_report(service, MILLION.brand_ref)
        peak = memory_mib(worker, "VmHWM")
        copied = await _copy(owner)
        size = await owner.fetchval("select max(bytes) from user_reports where brand_ref = $1", MILLION.brand_ref)
    finally:
        await owner.close()
    return [
        SPEED.measured(
            copied.seconds / seconds,
            f"{copied.rows:,} rows in {seconds:.1f} s, from the request to the finished zip of {size / 2**20:.0f} MiB;"
            f" COPY TO of the same four queries, output discarded, {copied.seconds:.1f} s",
        ),
        MEMORY.measured(MOST_MIB / peak, f"at most {peak:.0f} MiB"),
    ]


async def _copy(owner: "Connection") -> Copied:
    rows, started = 0, time.perf_counter()
    await owner.execute(f"set sitewright.brand_ref = '{MILLION.brand_ref}'")
    for name in FILES:
        query, values = query_of(name, ReportCriteria(), "UTC")
        statement = query.replace("$1", f"'{values[0]}'")
        done = await owner.execute(f"copy ({statement}) to '/dev/null' with (format csv, header)")
        rows += int(done.removeprefix("COPY "))
    return Copied(rows, time.perf_counter() - started)


async def seconds_of_report(service: Service, brand_ref: int) -> float:
    """From the request to the finished file."""
    auth = service.password_of(brand_ref)
    async with httpx.AsyncClient(base_url=service.url, auth=auth, trust_env=False, timeout=30) as client:
        started = time.perf_counter()
        path = f"/user-reports/{(await client.post('/user-reports')).json()['job']}"
        while (response := await client.get(path)).status_code == 202:
            if time.perf_counter() - started > LONGEST_SECONDS:
                raise MeasurementFailed(f"the report was not finished after {LONGEST_SECONDS} s")
            await asyncio.sleep(LOOK_SECONDS)
    if response.status_code != 200:
        raise MeasurementFailed(f"the report returned {response.status_code}")
    return time.perf_counter() - started


def _reset_peak(pid: int) -> None:
    """Reset the kernel's peak of the memory in use (VmHWM) of a process."""
    Path(f"/proc/{pid}/clear_refs").write_text(RESET_PEAK)


MEASUREMENT = Measurement(goals=[SPEED, MEMORY], measure=measure)
