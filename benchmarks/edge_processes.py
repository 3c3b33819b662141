"""Pages and handshakes of an edge node with two processes compared with a single process.

Client and server share the machine's cores, so each process is limited to a quarter of one. Otherwise two processes
would take time from the client.
"""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median

import httpx
import msgspec

from benchmarks import cpu_quota
from benchmarks.contest import Rates, interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import CONNECTIONS, requests_per_second
from benchmarks.measurement import Measurement
from benchmarks.nodes import EdgeNode, running_edge_node
from benchmarks.parts import pids_of
from benchmarks.published_sites import fill, host_of
from benchmarks.service import Service
from benchmarks.tls_certificates import bind, make
from benchmarks.tls_clients import shake_hands

SHARE = 0.25
HOST = host_of(0)
PAGES = Goal("pages of two edge processes / of one, each limited to 0.25 of a core", 1.7)
HANDSHAKES = Goal("TLS handshakes of two edge processes / of one, each limited to 0.25 of a core", 1.7)
START_SECONDS = 20


class Pages(msgspec.Struct, frozen=True):
    name: str
    node: EdgeNode

    def rate(self, count: int) -> float:
        request = f"GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        return requests_per_second(("127.0.0.1", self.node.port), [request] * max(count, CONNECTIONS))


class Handshakes(msgspec.Struct, frozen=True):
    name: str
    node: EdgeNode

    def rate(self, count: int) -> float:
        each = max(1, count // CONNECTIONS)
        started = time.perf_counter()
        with ThreadPoolExecutor(CONNECTIONS) as clients:
            for done in [clients.submit(shake_hands, self.node.tls_port, [HOST] * each) for _ in range(CONNECTIONS)]:
                done.result()
        return each * CONNECTIONS / (time.perf_counter() - started)


def measure(service: Service) -> list[Figure]:
    if not cpu_quota.is_available():
        reason = "cgroup v1 with a CPU quota cannot be written to"
        return [goal.not_measurable(reason) for goal in (PAGES, HANDSHAKES)]
    asyncio.run(fill(service.database_url))
    asyncio.run(bind(service, make("EC P-256", HOST), [HOST], are_mapped=True))
    with ExitStack() as stack:
        nodes = [stack.enter_context(running_edge_node(service, f"of-{count}", processes=count)) for count in (2, 1)]
        for node, count in zip(nodes, (2, 1), strict=True):
            _wait_for_all(node, count)
            stack.enter_context(cpu_quota.held_to(SHARE, pids_of(node.log, "edge")))
        names = ("two processes", "one process")
        pages = interleave("pages by processes", *map(Pages, names, nodes))
        handshakes = interleave("TLS handshakes by processes", *map(Handshakes, names, nodes))
    return [_figure(PAGES, pages), _figure(HANDSHAKES, handshakes)]


def _wait_for_all(node: EdgeNode, processes: int) -> None:
    """Each process uses its own prefix for request ids."""
    deadline, seen = time.monotonic() + START_SECONDS, set[str]()
    while len(seen) < processes:
        if time.monotonic() > deadline:
            raise MeasurementFailed(f"{len(seen)} of {processes} edge processes responded")
        response = httpx.get(f"http://127.0.0.1:{node.port}/", headers={"Host": HOST}, trust_env=False)
        if response.status_code != 200:
            raise MeasurementFailed(f"the page returned {response.status_code}")
        seen.add(response.headers["x-request-id"][:16])


def _figure(goal: Goal, rates: Sequence[Rates]) -> Figure:
    two, one = rates
    ratio = median(ours / theirs for ours, theirs in zip(two.rounds, one.rounds, strict=True))
    return goal.measured(
        ratio,
        f"two {median(two.rounds):,.0f}/s, one {median(one.rounds):,.0f}/s; median of the ratios of {len(two.rounds)}"
        f" interleaved rounds, {CONNECTIONS} connections",
    )


MEASUREMENT = Measurement(goals=[PAGES, HANDSHAKES], measure=measure)
