"""Fills the brand step by step, and measures every call at each step."""

import asyncio
import itertools
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import asyncpg
import httpx
from rich.console import Console
from rich.table import Table

from benchmarks.growth.calls import BRAND, CALLED, FIRST, Call, Sender
from benchmarks.growth.estate import USERS_OF_A_SITE, Estate, host_of
from benchmarks.population import Population, fill_search_terms, settle
from benchmarks.processes import free_port
from benchmarks.service import Service, own_folder, running_service
from benchmarks.signing import authorization
from benchmarks.user_report import seconds_of_report

SIZES = (1_000, 100_000, 1_000_000)
CALLS = 300
LONGEST_SECONDS = 120
TERMS_SIZE = "select pg_total_relation_size('search_terms')"
Costs = dict[str, str]


def main() -> int:
    site_port = free_port()
    with own_folder() as folder, running_service(folder, site_port=site_port) as service:
        costs = [
            asyncio.run(_costs(service, f"http://127.0.0.1:{site_port}", before, size))
            for before, size in itertools.pairwise((0, *SIZES))
        ]
    table = Table("", *(f"{size:,} users" for size in SIZES))
    for name in costs[0]:
        table.add_row(name, *(each[name] for each in costs))
    Console(width=140).print(table)
    return 0


async def _costs(service: Service, site_url: str, before: int, size: int) -> Costs:
    owner = await asyncpg.connect(service.database_url)
    try:
        added = Population(brand_ref=BRAND, first_ref=FIRST + before, users=size - before, package="pro")
        await added.fill(owner)
        await fill_search_terms(owner, added)
        await Estate(added).fill(owner)
        await settle(owner)
        measured = {call.name: _milliseconds(service, site_url, call, size) for call in CALLED}
        costs = {name: f"{taken:.1f} ms" for name, taken in measured.items()}
        slowest = max(taken for name, taken in measured.items() if "search: " in name)
        costs["the slowest search / GET /users/:ref"] = f"{slowest / measured[CALLED[0].name]:.1f}"
        costs["the worker's look for what is due"] = f"{await _milliseconds_of_a_look(owner):.1f} ms"
        seconds = await seconds_of_report(service, BRAND)
        costs["a report of them all"] = f"{seconds:.1f} s, {size / seconds:,.0f} users/s"
        costs["the database"] = (
            f"{await owner.fetchval('select pg_database_size(current_database())') / 2**20:,.0f} MiB"
        )
        costs["of that, search terms"] = f"{await owner.fetchval(TERMS_SIZE) / 2**20:,.0f} MiB"
        return costs
    finally:
        await owner.close()


def _milliseconds(service: Service, site_url: str, call: Call, size: int) -> float:
    """The median over users from the whole range, one request after another on one connection."""
    apart = max(1, size // CALLS)
    if call.is_of_site:
        apart = -(-apart // USERS_OF_A_SITE) * USERS_OF_A_SITE
    taken = []
    with _client(service, site_url, call.sender) as client:
        for ref in range(FIRST, FIRST + size, apart):
            request = client.build_request(
                call.method, call.path(ref), json=None if call.body is None else call.body(ref)
            )
            if call.sender is Sender.INTEGRATOR:
                signed = authorization(service.credentials(BRAND), call.method, str(request.url))
                request.headers["Authorization"] = signed
            if call.sender is Sender.VISITOR:
                request.headers["Host"] = host_of(ref)
            started = time.perf_counter()
            client.send(request).raise_for_status()
            taken.append(time.perf_counter() - started)
    return median(taken) * 1000


@contextmanager
def _client(service: Service, site_url: str, sender: Sender) -> Iterator[httpx.Client]:
    url = site_url if sender is Sender.VISITOR else service.url
    with httpx.Client(base_url=url, trust_env=False, timeout=LONGEST_SECONDS) as client:
        if sender is Sender.STAFF:
            _log_in_to_console(client, *service.password_of(BRAND))
        if sender is Sender.HOLDER:
            _log_in_to_workspace(client, service)
        yield client


def _log_in_to_console(client: httpx.Client, username: str, password: str) -> None:
    form = {"username": username, "password": password}
    response = client.post("/console/log-in", data=form, headers={"origin": str(client.base_url)})
    if response.status_code != httpx.codes.SEE_OTHER:
        raise SystemExit(f"the log-in to the console failed: {response.status_code}")


def _log_in_to_workspace(client: httpx.Client, service: Service) -> None:
    """As the first user, by a link."""
    link = client.post(f"/users/{FIRST}/auto-login", json={}, auth=service.password_of(BRAND)).raise_for_status()
    response = client.get(f"/login?hash={link.json()['hash']}&r=/account")
    if not response.is_redirect:
        raise SystemExit(f"the log-in to the workspace failed: {response.status_code}")


async def _milliseconds_of_a_look(owner: "asyncpg.Connection[asyncpg.Record]") -> float:
    """The worker's query for due packages, when nothing is due."""
    taken = []
    for _ in range(CALLS):
        started = time.perf_counter()
        await owner.fetch("select due_package_shares(now(), 10000, '{}')")
        taken.append(time.perf_counter() - started)
    return median(taken) * 1000


if __name__ == "__main__":
    sys.exit(main())
