"""Signed reads, pages and handshakes of two nodes compared with one, each process limited to a quarter of a core.

Client, nodes and database share the machine's cores; the limit leaves enough of them for the client and the database.
"""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median

import msgspec
import uvloop

from benchmarks import cpu_quota
from benchmarks.contest import Contender, Rates, interleave
from benchmarks.edge_processes import SHARE
from benchmarks.figures import Figure, Goal
from benchmarks.load import CONNECTIONS, send_all
from benchmarks.measurement import Measurement
from benchmarks.nodes import ApiNode, EdgeNode, running_api_node, running_edge_node
from benchmarks.parts import pids_of
from benchmarks.published_sites import fill, host_of
from benchmarks.requests import address_of, raw_request
from benchmarks.service import Service
from benchmarks.signed_read import BRAND, PATH
from benchmarks.signing import Credentials, authorization
from benchmarks.tls_certificates import bind, make
from benchmarks.tls_clients import shake_hands

HOST = host_of(1)
SIGNED = Goal("signed reads of two API nodes / of one, each limited to 0.25 of a core", 1.7)
PAGES = Goal("pages of two edge nodes / of one, each limited to 0.25 of a core", 1.7)
HANDSHAKES = Goal("TLS handshakes of two edge nodes / of one, each limited to 0.25 of a core", 1.7)
GOALS = [SIGNED, PAGES, HANDSHAKES]


class SignedReads(msgspec.Struct, frozen=True):
    name: str
    nodes: Sequence[ApiNode]
    credentials: Credentials

    def rate(self, count: int) -> float:
        each = max(count // len(self.nodes), CONNECTIONS)
        return _rate({address_of(node.url): [self._request(node) for _ in range(each)] for node in self.nodes})

    def _request(self, node: ApiNode) -> bytes:
        url = node.url + PATH
        return raw_request("GET", url, {"Authorization": authorization(self.credentials, "GET", url)})


class Pages(msgspec.Struct, frozen=True):
    name: str
    nodes: Sequence[EdgeNode]

    def rate(self, count: int) -> float:
        request = f"GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        each = max(count // len(self.nodes), CONNECTIONS)
        return _rate({("127.0.0.1", node.port): [request] * each for node in self.nodes})


class Handshakes(msgspec.Struct, frozen=True):
    name: str
    nodes: Sequence[EdgeNode]

    def rate(self, count: int) -> float:
        """As many clients for two nodes as for one: a handshake costs a client more than the server."""
        ports = [node.tls_port for node in self.nodes] * (CONNECTIONS // len(self.nodes))
        each = max(1, count // len(ports))
        started = time.perf_counter()
        with ThreadPoolExecutor(len(ports)) as clients:
            for done in [clients.submit(shake_hands, port, [HOST] * each) for port in ports]:
                done.result()
        return each * len(ports) / (time.perf_counter() - started)


def _rate(requests: dict[tuple[str, int], list[bytes]]) -> float:
    """All nodes at once, each with its own connections; counted until the last one is done."""

    async def send() -> float:
        times = await asyncio.gather(*(send_all(address, each) for address, each in requests.items()))
        seconds = max(each.done[-1] for each in times) - min(each.started for each in times)
        return sum(len(each.done) for each in times) / seconds

    return uvloop.run(send())


def measure(service: Service) -> list[Figure]:
    if not cpu_quota.is_available():
        return [goal.not_measurable("cgroup v1 with a CPU quota cannot be written to") for goal in GOALS]
    return [_signed_reads(service), *_visits(service)]


def _signed_reads(service: Service) -> Figure:
    credentials = service.credentials(BRAND)
    with ExitStack() as stack:
        nodes = [stack.enter_context(running_api_node(service, f"api-{number}")) for number in (1, 2)]
        for node in nodes:
            stack.enter_context(cpu_quota.held_to(SHARE, pids_of(node.log, "api")))
        two, one = SignedReads("two nodes", nodes, credentials), SignedReads("one node", nodes[:1], credentials)
        return _figure(SIGNED, "signed reads by nodes", two, one)


def _visits(service: Service) -> list[Figure]:
    asyncio.run(fill(service.database_url))
    asyncio.run(bind(service, make("EC P-256", HOST), [HOST], are_mapped=True))
    with ExitStack() as stack:
        nodes = [stack.enter_context(running_edge_node(service, f"edge-{number}")) for number in (1, 2)]
        for node in nodes:
            stack.enter_context(cpu_quota.held_to(SHARE, pids_of(node.log, "edge")))
        pages = Pages("two nodes", nodes), Pages("one node", nodes[:1])
        shakes = Handshakes("two nodes", nodes), Handshakes("one node", nodes[:1])
        return [_figure(PAGES, "pages by nodes", *pages), _figure(HANDSHAKES, "TLS handshakes by nodes", *shakes)]


def _figure(goal: Goal, title: str, two: Contender, one: Contender) -> Figure:
    of_two, of_one = interleave(title, two, one)
    return goal.measured(
        _ratio(of_two, of_one),
        f"two {median(of_two.rounds):,.0f}/s, one"
        f" {median(of_one.rounds):,.0f}/s; median of the ratios of {len(of_two.rounds)} interleaved rounds,"
        f" {CONNECTIONS} connections to each node",
    )


def _ratio(two: Rates, one: Rates) -> float:
    return median(ours / theirs for ours, theirs in zip(two.rounds, one.rounds, strict=True))


MEASUREMENT = Measurement(goals=GOALS, measure=measure)
