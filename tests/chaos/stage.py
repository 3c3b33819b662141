"""Shared by the fault tests: clients of the real service, its processes, visitors of a site, and time limits."""

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx

from tests.chaos.nodes import Node, RoundRobin
from tests.support.customers import Customer, make_customer
from tests.support.depth import DEEP
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.journal import Journal
from tests.support.service import Service, children_of
from tests.support.timeouts import HANG_SECONDS

VISIT_EVERY = 0.05


def report(line: str) -> None:
    """Print figures, for `make chaos`."""
    sys.stdout.write(f"{line}\n")


def limit(seconds: float) -> float:
    """The promised limit in `make chaos`; none in `make test`, which runs next to other tests on any machine."""
    return seconds if DEEP else HANG_SECONDS


def journal_of(service: Service) -> Journal:
    brand = service.demo["brands"][0]
    return Journal(brand["brandRef"], [brand["packages"]["starter"], brand["packages"]["pro"]])


async def more_is_written(journal: Journal, writes: int) -> None:
    enough = journal.acknowledged + writes
    await eventually(lambda: journal.acknowledged >= enough)


@asynccontextmanager
async def open_clients(service: Service, count: int) -> AsyncIterator[list[httpx.AsyncClient]]:
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(service.client()) for _ in range(count)]
        yield clients


def postmaster_of(service: Service) -> int:
    [pid] = [pid for pid, name in service.children().items() if "postgres" in name]
    return pid


def process_tree(pid: int) -> list[int]:
    """The pid and those of all its descendants."""
    return [pid, *(each for child in children_of(pid) for each in process_tree(child))]


def resident_mib(pid: int) -> float:
    pages = int((Path("/proc") / str(pid) / "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Visits:
    """Counts the statuses and errors that visitors of one site get, and measures the slowest response."""

    def __init__(self) -> None:
        self.seen: Counter[int | str] = Counter()
        self.slowest = 0.0

    async def visit_repeatedly(self, client: httpx.AsyncClient, url: str, host: str) -> None:
        while True:
            started = time.monotonic()
            try:
                response = await client.get(url, headers={"Host": host})
                self.seen[response.status_code] += 1
            except httpx.TransportError as error:
                self.seen[repr(error)] += 1
            self.slowest = max(self.slowest, time.monotonic() - started)
            await asyncio.sleep(VISIT_EVERY)


@asynccontextmanager
async def visiting(service: Service, customer: Customer) -> AsyncIterator[Visits]:
    """Visitors request the site over http and https during this context, on new connections; all must get 200."""
    visits = Visits()
    limits = httpx.Limits(max_keepalive_connections=0)
    async with http_client(verify=False, limits=limits) as client:
        visitors = [
            asyncio.create_task(visits.visit_repeatedly(client, url, customer.host))
            for url in (service.site_url, service.site_tls_url)
        ]
        try:
            yield visits
            await eventually(lambda: bool(visits.seen))
        finally:
            for task in visitors:
                task.cancel()
            await asyncio.gather(*visitors, return_exceptions=True)
    assert set(visits.seen) == {200}, visits.seen


@asynccontextmanager
async def visiting_nodes(nodes: Sequence[Node], host: str) -> AsyncIterator[Visits]:
    """A visitor requests the site from one edge server after the other."""
    visits = Visits()
    balancer = RoundRobin([node.ports["site_port"] for node in nodes])
    async with http_client(transport=balancer) as client:
        visitor = asyncio.create_task(visits.visit_repeatedly(client, "http://127.0.0.1:80/", host))
        try:
            yield visits
        finally:
            visitor.cancel()
            await asyncio.gather(visitor, return_exceptions=True)


async def publish_shop(service: Service, client: httpx.AsyncClient) -> Customer:
    """Create and publish a site, and wait until the edge server shows it."""
    customer = await make_customer(client, 1, "shop.example", package_ref=service.demo["brands"][0]["packages"]["pro"])
    await customer.publish()

    async def is_shown() -> bool:
        response = await client.get(service.site_url, headers={"Host": customer.host}, auth=None)
        return response.status_code == 200

    await eventually(is_shown)
    return customer
