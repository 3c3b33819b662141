"""An edge server with 10,000 certificates in its database: how much longer it takes to start than with none, and how
much more memory it needs, also after every certificate was used."""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import Executor

from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.nodes import EdgeNode, running_edge_node
from benchmarks.parts import memory_mib, pid_of
from benchmarks.service import Service
from benchmarks.tls_certificates import bind, make
from benchmarks.tls_clients import clients, handshakes_per_second

CERTIFICATES = 10_000
MOST_SECONDS, MOST_MIB = 3.0, 200.0
LEAST_SECONDS, LEAST_MIB = 0.1, 1.0  # less is noise
STARTS = 2
HOSTS = [f"certificate-{number}.bench.example" for number in range(CERTIFICATES)]
START = Goal("3 s / what 10,000 certificates add to the start time of the edge server", 1.0)
MEMORY = Goal("200 MiB / what 10,000 certificates add to its memory", 1.0)
ALL_USED = Goal("200 MiB / what 10,000 certificates add to its memory when each was used", 1.0)


def measure(service: Service) -> list[Figure]:
    quick, least = start(service, "none")
    asyncio.run(bind(service, make("EC P-256", HOSTS[0]), HOSTS))
    slow, bound = start(service, "all")
    used = _memory_when_used(service)
    note = f"with none {least:.0f} MiB, with all {bound:.0f} MiB, when each was used {used:.0f} MiB"
    return [
        START.measured(
            MOST_SECONDS / max(slow - quick, LEAST_SECONDS),
            f"with none {quick:.2f} s, with all {slow:.2f} s, each the best of {STARTS}",
        ),
        MEMORY.measured(MOST_MIB / max(bound - least, LEAST_MIB), note),
        ALL_USED.measured(MOST_MIB / max(used - least, LEAST_MIB), note),
    ]


def start(service: Service, name: str) -> tuple[float, float]:
    """Seconds until it responded over https, and its memory after a hundred handshakes."""
    seconds, memory = [], 0.0
    for number in range(STARTS):
        started = time.perf_counter()
        with running_edge_node(service, f"{name}-{number}") as node, clients() as pool:
            seconds.append(time.perf_counter() - started)
            memory = _memory_after(node, pool, ["nobody.example"] * 100)
    return min(seconds), memory


def _memory_when_used(service: Service) -> float:
    with running_edge_node(service, "used") as node, clients() as pool:
        return _memory_after(node, pool, HOSTS)


def _memory_after(node: EdgeNode, pool: Executor, names: Sequence[str]) -> float:
    handshakes_per_second(pool, node.tls_port, names)
    return memory_mib(pid_of(node.log, "edge"))


MEASUREMENT = Measurement(goals=[START, MEMORY, ALL_USED], measure=measure)
