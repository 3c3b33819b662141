"""Metrics for Prometheus, shared by all processes of a node through small files in the data folder."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from sitewright.kit.metric_files import use_reserved_files
from sitewright.kit.pool import Pool

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
POOL_LOOK_SECONDS = 1.0


class JobCounts(msgspec.Struct, frozen=True):
    waiting: int
    running: int
    failed: int


class Metrics:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)  # the library's only way to be told
        use_reserved_files()
        values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        self._requests = Histogram(
            "sitewright_request_seconds",
            "Requests by method, route and status, and how long they took.",
            ["method", "route", "status"],
            buckets=SECONDS,
            registry=registry,
        )
        self._handshakes = Counter(
            "sitewright_tls_handshakes",
            "TLS handshakes of visitors: done, refused by either side, or let go (too slow, or no TLS at all).",
            ["outcome"],
            registry=registry,
        )
        self._connections = Gauge(
            "sitewright_database_connections",
            "Connections to the database held by this node's processes, by state.",
            ["state"],
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._children: dict[tuple[str, str, int], Histogram] = {}
        self._registry = registry
        self._counters: dict[str, Counter] = {}
        self._gauges: dict[str, Gauge] = {}

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route` is the path's template, so that refs do not multiply the series."""
        key = (method, route, status)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = self._requests.labels(method, route or "none", str(status))
        child.observe(seconds)

    def count_handshake(self, outcome: str) -> None:
        self._handshakes.labels(outcome).inc()

    def counter(self, name: str, description: str, labels: Sequence[str] = ()) -> Counter:
        """A feature's own counter: created on first use, then the same one."""
        if name not in self._counters:
            self._counters[name] = Counter(name, description, labels, registry=self._registry)
        return self._counters[name]

    def gauge(self, name: str, description: str) -> Gauge:
        """A feature's own gauge, likewise; of several processes, the value that was set last counts."""
        if name not in self._gauges:
            self._gauges[name] = Gauge(name, description, multiprocess_mode="livemostrecent", registry=self._registry)
        return self._gauges[name]

    async def watch(self, pool: Pool) -> None:
        """Look at the pool again and again, for as long as the process lives."""
        while True:
            self._connections.labels("busy").set(pool.busy)
            self._connections.labels("idle").set(pool.idle)
            await asyncio.sleep(POOL_LOOK_SECONDS)

    def exposition(self, jobs: JobCounts) -> bytes:
        """All of this node's figures, as Prometheus reads them, and the jobs as the database counts them."""
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=str(self._folder))  # type: ignore[no-untyped-call]
        return generate_latest(registry) + _job_lines(jobs)


def gauge(name: str, words: str, value: float | Mapping[str, float], *, label: str = "state") -> bytes:
    """One gauge as Prometheus reads it, or one for each value of a label.

    Written by hand, for figures of the database: a gauge of the library would be written to the shared files.
    """
    series = {f'{{{label}="{of}"}}': each for of, each in value.items()} if isinstance(value, Mapping) else {"": value}
    lines = [f"# HELP {name} {words}", f"# TYPE {name} gauge"]
    lines += [f"{name}{labels} {each}" for labels, each in series.items()]
    return ("\n".join(lines) + "\n").encode()


def _job_lines(jobs: JobCounts) -> bytes:
    states = {"waiting": jobs.waiting, "running": jobs.running, "failed": jobs.failed}
    return gauge("sitewright_jobs", "Background jobs by state.", states)


def forget_process(folder: Path, pid: int) -> None:
    """What a process that ended held is held no more; what it counted stays counted."""
    mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]


def forget_former_processes(folder: Path) -> None:
    """Files of processes long gone would gather for ever; those of another part that runs here are left alone."""
    for file in folder.glob("*.db"):
        if not Path(f"/proc/{file.stem.rpartition('_')[2]}").exists():
            file.unlink(missing_ok=True)
