"""`make growth`: the cost of requests, reports and due packages for a brand with a thousand, many and a million
users."""

import asyncio
import itertools
import sys
import time
from collections.abc import Callable
from statistics import median

import asyncpg
import httpx
import msgspec
from rich.console import Console
from rich.table import Table

from benchmarks.population import Population, fill_search_terms, settle
from benchmarks.service import Service, own_folder, running_service
from benchmarks.signing import authorization
from benchmarks.user_report import seconds_of_report

BRAND = 2
FIRST = 2_000_000_000
SIZES = (1_000, 100_000, 1_000_000)
CALLS = 300
LONGEST_SECONDS = 120
TERMS_SIZE = "select pg_total_relation_size('search_terms')"
Costs = dict[str, str]


class Call(msgspec.Struct, frozen=True):
    """Send the same request for one user after another."""

    name: str
    path: Callable[[int], str]
    method: str = "GET"
    body: dict[str, str] | None = None
    is_of_console: bool = False
    """Sent by a browser that is logged in to the console, instead of signed."""


SEARCHES: dict[str, Callable[[int], str]] = {
    "one user name": lambda ref: f"user-{ref}",
    "a word of every user": lambda _ref: "mail.exa",
    "a letter, of every 26th user": lambda _ref: "g",
    "two letters, of every 416th user": lambda _ref: "g%203",
    "two letters that no user has together": lambda _ref: "g%20h",
    "a word that nobody has": lambda _ref: "zzz",
}


def _searching(path: str, words: Callable[[int], str]) -> Callable[[int], str]:
    return lambda ref: path + words(ref)


CALLED = [
    Call("GET /users/:ref", lambda ref: f"/users/{ref}"),
    Call("GET /users, page 1 with its count", lambda _ref: "/users?limit=20"),
    Call("GET /users, a page in the midst", lambda ref: f"/users?limit=20&after={ref}"),
    Call("GET /users?username=", lambda ref: f"/users?username=user-{ref}"),
    Call("GET /users?email=", lambda ref: f"/users?email=user-{ref}@mail.example"),
    *(Call(f"search: {name}", _searching("/users?search=", words)) for name, words in SEARCHES.items()),
    *(
        Call(f"console, search: {name}", _searching("/console/customers?search=", words), is_of_console=True)
        for name, words in SEARCHES.items()
    ),
    Call("console, customers", lambda _ref: "/console/customers", is_of_console=True),
    Call("console, overview", lambda _ref: "/console/overview", is_of_console=True),
    Call("PUT /users/:ref", lambda ref: f"/users/{ref}", "PUT", {"firstName": "Another"}),
]


def main() -> int:
    with own_folder() as folder, running_service(folder) as service:
        costs = [asyncio.run(_costs(service, before, size)) for before, size in itertools.pairwise((0, *SIZES))]
    table = Table("", *(f"{size:,} users" for size in SIZES))
    for name in costs[0]:
        table.add_row(name, *(each[name] for each in costs))
    Console().print(table)
    return 0


async def _costs(service: Service, before: int, size: int) -> Costs:
    owner = await asyncpg.connect(service.database_url)
    try:
        added = Population(brand_ref=BRAND, first_ref=FIRST + before, users=size - before, package="pro")
        await added.fill(owner)
        await fill_search_terms(owner, added)
        await settle(owner)
        measured = {call.name: _milliseconds(service, call, size) for call in CALLED}
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


def _milliseconds(service: Service, call: Call, size: int) -> float:
    """The median over users from the whole range, one request after another on one connection."""
    credentials = service.credentials(BRAND)
    taken = []
    with httpx.Client(base_url=service.url, trust_env=False, timeout=LONGEST_SECONDS) as client:
        if call.is_of_console:
            _log_in(client, *service.password_of(BRAND))
        for ref in range(FIRST, FIRST + size, max(1, size // CALLS)):
            url = service.url + call.path(ref)
            signed = {"Authorization": authorization(credentials, call.method, url)}
            headers = {} if call.is_of_console else signed
            request = client.build_request(call.method, url, headers=headers, json=call.body)
            started = time.perf_counter()
            client.send(request).raise_for_status()
            taken.append(time.perf_counter() - started)
    return median(taken) * 1000


def _log_in(client: httpx.Client, username: str, password: str) -> None:
    form = {"username": username, "password": password}
    response = client.post("/console/log-in", data=form, headers={"origin": str(client.base_url)})
    if response.status_code != httpx.codes.SEE_OTHER:
        raise SystemExit(f"the log-in to the console failed: {response.status_code}")


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
