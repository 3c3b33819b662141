"""Shared by the fault tests: the real service, its rows, its processes, and limits that suit the machine."""

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx

from tests.support.customers import Customer, make_customer
from tests.support.depth import DEEP
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.journal import Journal
from tests.support.service import Service, children_of
from tests.support.timeouts import HANG_SECONDS

VISIT_EVERY = 0.05


def report(words: str) -> None:
    """Print figures, for `make chaos`."""
    sys.stdout.write(f"{words}\n")


def limit(seconds: float) -> float:
    """The promised limit in `make chaos`; none in `make test`, which runs next to other tests on any machine."""
    return seconds if DEEP else HANG_SECONDS


def journal_of(service: Service) -> Journal:
    brand = service.demo["brands"][0]
    return Journal(brand["brandRef"], [brand["packages"]["starter"], brand["packages"]["pro"]])


@asynccontextmanager
async def hands(service: Service, count: int) -> AsyncIterator[list[httpx.AsyncClient]]:
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(service.client()) for _ in range(count)]
        yield clients


def postmaster_of(service: Service) -> int:
    [pid] = [pid for pid, name in service.children().items() if "postgres" in name]
    return pid


def family_of(pid: int) -> list[int]:
    return [pid, *(each for child in children_of(pid) for each in family_of(child))]


def resident_mib(pid: int) -> float:
    pages = int((Path("/proc") / str(pid) / "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Visits:
    """The responses to visitors of one site, one after the other."""

    def __init__(self) -> None:
        self.seen: Counter[int | str] = Counter()
        self.slowest = 0.0

    async def go_on(self, client: httpx.AsyncClient, url: str, host: str) -> None:
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
async def visited(service: Service, customer: Customer) -> AsyncIterator[Visits]:
    """Over http and https, each time on a new connection."""
    visits = Visits()
    limits = httpx.Limits(max_keepalive_connections=0)
    async with http_client(verify=False, limits=limits) as client:
        going = [
            asyncio.create_task(visits.go_on(client, url, customer.host))
            for url in (service.site_url, service.site_tls_url)
        ]
        try:
            yield visits
            await eventually(lambda: bool(visits.seen))
        finally:
            for task in going:
                task.cancel()
            await asyncio.gather(*going, return_exceptions=True)
    assert set(visits.seen) == {200}, visits.seen


async def shop_of(service: Service, client: httpx.AsyncClient) -> Customer:
    """The service, with a site that visitors have requested already."""
    customer = await make_customer(client, 1, "shop.example", package_ref=service.demo["brands"][0]["packages"]["pro"])
    await customer.publish()

    async def is_shown() -> bool:
        response = await client.get(service.site_url, headers={"Host": customer.host}, auth=None)
        return response.status_code == 200

    await eventually(is_shown)
    return customer
