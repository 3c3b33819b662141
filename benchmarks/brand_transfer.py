"""The export of a brand with a million users, compared with PostgreSQL's COPY TO of the same rows, and its import into
another database, compared with COPY FROM."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import asyncpg
import msgspec

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.parts import memory_mib
from benchmarks.population import MILLION
from benchmarks.service import Service
from sitewright.kit.migrations import migrate

MOST_MIB = 200
LOOK_SECONDS = 0.02
EXPORT = Goal("rows of a brand of 1,000,000 users exported a second / PostgreSQL's COPY TO", 0.25)
IMPORT = Goal("rows of a brand of 1,000,000 users imported a second / PostgreSQL's COPY FROM", 0.15)
MEMORY = Goal(f"{MOST_MIB} MiB / largest resident memory of the export and the import", 1)
TABLES = ("users", "account_packages")
TARGETS = ("bench_import", "bench_copy")


class Done(msgspec.Struct, frozen=True):
    seconds: float
    mib: float


def measure(service: Service) -> list[Figure]:
    return asyncio.run(_measure(service))


async def _measure(service: Service) -> list[Figure]:
    owner = await asyncpg.connect(service.database_url)
    file = service.folder / "brand.zip"
    try:
        await MILLION.fill(owner)
        exported = _run(service, "export", str(MILLION.brand_ref), str(file), "--without-secrets")
        rows, copied = await _copy_to(owner, service.folder)
        imported = await _import(owner, service, file)
        inserted = await _copy_from(owner, service)
    finally:
        for name in TARGETS:
            await owner.execute(f"drop database if exists {name} with (force)")
        await owner.close()
    size = file.stat().st_size / 2**20
    most = max(exported.mib, imported.mib)
    return [
        EXPORT.measured(
            copied / exported.seconds,
            f"{rows:,} rows in {exported.seconds:.1f} s, with the start of the command, to a file of {size:.0f} MiB;"
            f" COPY TO of users and account packages {copied:.1f} s",
        ),
        IMPORT.measured(
            inserted / imported.seconds,
            f"{rows:,} rows in {imported.seconds:.1f} s, with the start of the command and all checks; COPY FROM into"
            f" the same tables with their indexes, without triggers and foreign keys, {inserted:.1f} s",
        ),
        MEMORY.measured(MOST_MIB / most, f"export {exported.mib:.0f} MiB, import {imported.mib:.0f} MiB"),
    ]


async def _copy_to(owner: "asyncpg.Connection[asyncpg.Record]", folder: Path) -> tuple[int, float]:
    rows, started = 0, time.perf_counter()
    for table in TABLES:
        query = f"select * from {table} where brand_ref = {MILLION.brand_ref}"
        rows += int((await owner.copy_from_query(query, output=folder / f"{table}.copy")).removeprefix("COPY "))
    return rows, time.perf_counter() - started


async def _import(owner: "asyncpg.Connection[asyncpg.Record]", service: Service, file: Path) -> Done:
    url = await _new_database(owner, service, TARGETS[0])
    return _run(service, "import", str(file), database_url=url)


async def _copy_from(owner: "asyncpg.Connection[asyncpg.Record]", service: Service) -> float:
    target = await asyncpg.connect(await _new_database(owner, service, TARGETS[1]))
    try:
        await target.execute("set session_replication_role = replica")
        started = time.perf_counter()
        async with target.transaction():
            for table in TABLES:
                await target.copy_to_table(table, source=service.folder / f"{table}.copy")
        return time.perf_counter() - started
    finally:
        await target.close()


async def _new_database(owner: "asyncpg.Connection[asyncpg.Record]", service: Service, name: str) -> str:
    await owner.execute(f"create database {name}")
    before, _, query = service.database_url.partition("?")
    url = f"{before.rpartition('/')[0]}/{name}{'?' if query else ''}{query}"
    await migrate(url)
    return url


def _run(service: Service, *arguments: str, database_url: str = "") -> Done:
    """Run a command to its end. Its memory is the kernel's high-water mark, read repeatedly: the one that the kernel
    reports at the end includes that of the process that started it."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SITEWRIGHT_")}
    chosen = {"SITEWRIGHT_DATA_DIR": str(service.folder)}
    if database_url:
        chosen["SITEWRIGHT_DATABASE_URL"] = database_url
    command, log, mib = [sys.executable, "-m", "sitewright", "brands", *arguments], service.folder / "brands.log", 0.0
    started = time.perf_counter()
    with log.open("wb") as opened:
        process = subprocess.Popen(command, env=inherited | chosen, stdout=subprocess.DEVNULL, stderr=opened)
        while process.poll() is None:
            mib = max(mib, memory_mib(process.pid, "VmHWM"))
            time.sleep(LOOK_SECONDS)
    seconds = time.perf_counter() - started
    if process.returncode != 0:
        raise MeasurementFailed(f"sitewright brands {arguments[0]} failed: {log.read_text()[-300:]}")
    return Done(seconds, mib)


MEASUREMENT = Measurement(goals=[EXPORT, IMPORT, MEMORY], measure=measure)
