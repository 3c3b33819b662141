"""`make soak MINUTES=120`: measures what the service can do with all that follows from it, then half of that."""

import argparse
import asyncio
import sys
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.service import own_folder
from benchmarks.soak.clients import Clients, working_clients
from benchmarks.soak.pace import Pace
from benchmarks.soak.samples import Sample, overdue_now, take_sample
from benchmarks.soak.verdict import findings_in
from tests.support.eventually import eventually
from tests.support.service import TWO_OF_EACH, Service, running_service

CLIENTS = 8
CAPACITY_SECONDS = 60
SAMPLES = 24
LOOK_SECONDS = 5
DONE_WITHIN_SECONDS = 2.0
DRAIN_SECONDS = 1800
NO_LIMIT = 1_000_000
SETTINGS = TWO_OF_EACH | {
    "login_failures_per_address": NO_LIMIT,
    "acme_orders_per_3_hours": NO_LIMIT,
    "site_cache_mib": 16,
}
"""A page cache that is full within minutes: it is to be seen that the edge server does not grow beyond it."""
MIB = 2**20


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--minutes", type=float, default=120)
    with own_folder() as folder:
        return asyncio.run(_soak(folder / "var", parser.parse_args().minutes * 60))


async def _soak(folder: Path, seconds: float) -> int:
    pace, console = Pace(), Console(width=160)
    async with running_service(folder, **SETTINGS) as service, working_clients(service, pace, CLIENTS) as clients:
        capacity = await _sustained_rate(service, pace)
        pace.set_rate(capacity / 2)
        console.print(f"{capacity:.0f} requests/s with {CLIENTS} clients; {capacity / 2:.0f} from now on")
        began, before = time.monotonic(), pace.requests
        samples, overdue = await _watch(service, seconds)
        rate = (pace.requests - before) / (time.monotonic() - began)
    _show(console, samples, overdue, clients, rate)
    found = findings_in(samples, overdue) + clients.failures[:20]
    console.print("\n".join(found) or "everything stayed flat")
    return 1 if found else 0


async def _sustained_rate(service: Service, pace: Pace) -> float:
    """Requests a second that the service can do for good: until the worker has done what they caused, time counts."""
    before, began = pace.requests, time.monotonic()
    await asyncio.sleep(CAPACITY_SECONDS)
    pace.pause()
    await eventually(lambda: _is_all_done(service), within=DRAIN_SECONDS)
    return (pace.requests - before) / (time.monotonic() - began)


async def _is_all_done(service: Service) -> bool:
    return max((await overdue_now(service)).values()) < DONE_WITHIN_SECONDS


async def _watch(service: Service, seconds: float) -> tuple[list[Sample], Counter[str]]:
    """The samples, and the longest delay of each kind of due work."""
    end = time.monotonic() + seconds
    samples, overdue = [await take_sample(service)], Counter[str]()
    while time.monotonic() < end:
        next_sample = samples[-1].at + seconds / SAMPLES
        while time.monotonic() < min(next_sample, end):
            await asyncio.sleep(LOOK_SECONDS)
            overdue |= Counter(await overdue_now(service))
        samples.append(await take_sample(service))
    return samples, overdue


def _show(console: Console, samples: list[Sample], overdue: Counter[str], clients: Clients, rate: float) -> None:
    shown = samples[:: max(1, len(samples) // 8)]
    table = Table("", *(f"{(each.at - samples[0].at) / 60:.0f} min" for each in shown))
    for part in samples[0].memory:
        table.add_row(f"memory of {part}, MiB", *(f"{each.memory[part] / MIB:.0f}" for each in shown))
        table.add_row(f"open files of {part}", *(str(each.files[part]) for each in shown))
    table.add_row("connections to the database", *(str(each.connections) for each in shown))
    sizes = [sum(one.bytes for one in each.tables.values()) / MIB for each in shown]
    table.add_row("all tables and indexes, MiB", *(f"{size:.0f}" for size in sizes))
    table.add_row("rows of all tables", *(f"{sum(one.rows for one in each.tables.values()):,}" for each in shown))
    console.print(table)
    hours = (samples[-1].at - samples[0].at) / 3600
    logged = (samples[-1].log_bytes - samples[0].log_bytes) / MIB
    console.print(f"{rate:.0f} requests/s; done: {dict(clients.done)}; failed: {len(clients.failures)}")
    console.print(f"the longest delays of due work, in seconds: {dict(overdue.most_common(6))}")
    mails = samples[-1].tables["public.mails"].rows - samples[0].tables["public.mails"].rows
    console.print(f"emails: {mails}; logged: {logged:.0f} MiB, {logged / hours:.0f} MiB an hour")


if __name__ == "__main__":
    sys.exit(main())
