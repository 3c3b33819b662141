"""Metrics for Prometheus, shared by all processes of a node through small files in the data folder."""

import asyncio
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from sitewright.kit.metric_files import use_reserved_files
from sitewright.kit.pool import Pool

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
POOL_SAMPLE_SECONDS = 1.0


class JobCounts(msgspec.Struct, frozen=True):
    waiting: int
    running: int
    failed: int


class Metrics:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)  # the library has no other way to configure it
        use_reserved_files()
        values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        self._requests = Histogram(
            "sitewright_request_seconds",
            "Duration of requests, by method, route and status.",
            ["method", "route", "status"],
            buckets=SECONDS,
            registry=registry,
        )
        self._handshakes = Counter(
            "sitewright_tls_handshakes",
            "TLS handshakes by outcome: done, refused by either side, or let-go (timed out, or not TLS).",
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
        self._connection_limit = Gauge(
            "sitewright_database_connection_limit",
            "Connections to the database that this node's API and edge processes may open.",
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._processes = Gauge(
            "sitewright_processes",
            "Running processes of this node by part: api, edge, worker.",
            ["part"],
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._children: dict[tuple[str, str, int], Histogram] = {}
        self._registry = registry
        self._counters: dict[str, Counter] = {}
        self._gauges: dict[str, Gauge] = {}

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route` is the path's template, which keeps the label's cardinality low."""
        key = (method, route, status)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = self._requests.labels(method, route or "none", str(status))
        child.observe(seconds)

    def report_process(self, part: str) -> None:
        """This process runs, until the supervisor removes its gauges (`remove_process`)."""
        self._processes.labels(part).set(1)

    def count_handshake(self, outcome: str) -> None:
        self._handshakes.labels(outcome).inc()

    def count_replica_read(self, outcome: str) -> None:
        self.counter(
            "sitewright_replica_reads",
            "Reads that a replica could answer, by outcome: read there, or by the primary since a notification had just"
            " arrived (notified), or the replica was behind, busy or unavailable.",
            ["outcome"],
        ).labels(outcome).inc()

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
        """Sample the pool periodically until cancelled."""
        self._connection_limit.set(pool.size)
        while True:
            self._connections.labels("busy").set(pool.busy)
            self._connections.labels("idle").set(pool.idle)
            await asyncio.sleep(POOL_SAMPLE_SECONDS)

    def exposition(self, jobs: JobCounts) -> bytes:
        """This node's metrics in Prometheus's text format, with the jobs counted in the database."""
        registry = CollectorRegistry()
        _Collector(registry, path=str(self._folder))  # type: ignore[no-untyped-call]
        return generate_latest(registry) + _job_lines(jobs)


class _Collector(MultiProcessCollector):
    """The library's cannot read a file that a starting process has created but not filled yet."""

    def collect(self) -> Iterable[Metric]:
        files = [str(file) for file in Path(self._path).glob("*.db") if _is_filled(file)]
        merged: Iterable[Metric] = self.merge(files, accumulate=True)  # type: ignore[no-untyped-call]
        return merged


def _is_filled(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:  # its process has just ended
        return False


def gauge(name: str, description: str, value: float | Mapping[str, float], *, label: str = "state") -> bytes:
    """A gauge in Prometheus's text format, with one series for each value of a label if `value` is a mapping.

    For values from the database: the library's gauges would be written to the shared files.
    """
    series = {f'{{{label}="{of}"}}': each for of, each in value.items()} if isinstance(value, Mapping) else {"": value}
    lines = [f"# HELP {name} {description}", f"# TYPE {name} gauge"]
    lines += [f"{name}{labels} {each}" for labels, each in series.items()]
    return ("\n".join(lines) + "\n").encode()


def data_folder_lines(folder: Path) -> bytes:
    """The space of the disk that the data folder is on, in Prometheus's text format. Reads the file system."""
    usage = shutil.disk_usage(folder)
    sizes = {"free": usage.free, "total": usage.total}
    return gauge("sitewright_data_folder_bytes", "Space on the disk of this node's data folder.", sizes)


def _job_lines(jobs: JobCounts) -> bytes:
    states = {"waiting": jobs.waiting, "running": jobs.running, "failed": jobs.failed}
    return gauge("sitewright_jobs", "Background jobs by state.", states)


def remove_process(folder: Path, pid: int) -> None:
    """Remove the gauges of a process that ended; its counters stay."""
    mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]


def remove_stale_files(folder: Path) -> None:
    """Delete the metric files of processes that no longer exist; other running processes keep theirs."""
    for file in folder.glob("*.db"):
        if not Path(f"/proc/{file.stem.rpartition('_')[2]}").exists():
            file.unlink(missing_ok=True)
