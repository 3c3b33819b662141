"""Health checks of domains on one worker: how many a second, with a name server of its own and the edge server of the
service, all on this machine."""

import asyncio
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from urllib.parse import urlsplit

import asyncpg
import uvloop

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.service import Service
from sitewright.domains.health.jobs import CONCURRENCY
from sitewright.domains.health.service import Key, Status, check, messages_in, read_results
from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import clock
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings
from tests.support.name_server import NameServer

RATE = Goal("domain health checks per second on one worker", None)
BRAND = 1
ROUNDS, HOSTS = 3, 200
ADDRESS = "127.0.0.1"
BETWEEN_SECONDS = 11
"""A name is checked at most once in ten seconds."""
_MAP = """
insert into site_domains (brand_ref, site_ref, domain, created_at)
select $1, $2, name, now() from unnest($3::text[]) name returning ref
"""


def measure(service: Service) -> list[Figure]:
    hosts = [f"health{number}.example" for number in range(HOSTS)]
    with _name_server(hosts) as server:
        return [uvloop.run(_measure(service, server, hosts))]


@contextmanager
def _name_server(hosts: Sequence[str]) -> Iterator[str]:
    """In a process of its own, as a name server is."""
    server = NameServer()
    for host in hosts:
        server.add_zone(host, f"ns.{host}")
        server.set(f"ns.{host}", "A", ADDRESS)
        server.set(host, "A", ADDRESS)
    process = multiprocessing.get_context("fork").Process(target=_serve, args=(server,), daemon=True)
    process.start()
    yield server.address
    process.terminate()
    process.join()


def _serve(server: NameServer) -> None:
    async def forever() -> None:
        async with server.serving():
            await asyncio.Event().wait()

    uvloop.run(forever())


async def _measure(service: Service, name_server: str, hosts: Sequence[str]) -> Figure:
    settings = Settings(
        data_dir=str(service.folder),
        dns_resolvers=[name_server],
        site_addresses=[ADDRESS],
        site_public_port=urlsplit(service.demo["siteUrl"]).port or 80,
        site_public_tls_port=urlsplit(service.demo["siteTlsUrl"]).port or 443,
    )
    keys = await _map(service, hosts)
    rates = []
    async with open_resources(
        settings, service.database_url, name="bench", lifecycle=LIFECYCLE, mail=MAIL
    ) as resources:
        for number in range(ROUNDS):
            clock.shift(number * BETWEEN_SECONDS)
            rates.append(await _rate(resources, keys))
        clock.shift(0)
        async with resources.database.transaction(BRAND) as tx:
            found = await read_results(tx, dict(zip((key.ref for key in keys), hosts, strict=True)), messages_in("en"))
    if {each.status for each in found.values()} != {Status.ATTENTION}:  # without certificates
        raise MeasurementFailed(f"the checks had other results: {next(iter(found.values()))}")
    note = f"{HOSTS} mapped names, {CONCURRENCY} at a time: DNS with authoritative servers, probes over http and TLS"
    return RATE.measured(median(rates), note)


async def _map(service: Service, hosts: Sequence[str]) -> list[Key]:
    """To the demo's site; not due, so that the service's own worker leaves them alone."""
    owner = await asyncpg.connect(service.database_url, server_settings={"sitewright.release": "benchmark"})
    site_ref = service.brand(BRAND)["demoUser"]["siteRef"]
    rows = await owner.fetch(_MAP, BRAND, site_ref, hosts)
    await owner.close()
    return [Key("domain", row["ref"]) for row in rows]


async def _rate(resources: Resources, keys: Sequence[Key]) -> float:
    turns = asyncio.Semaphore(CONCURRENCY)

    async def run(key: Key) -> None:
        async with turns:
            await check(resources, BRAND, key)

    begun = time.perf_counter()
    await asyncio.gather(*(run(key) for key in keys))
    return len(keys) / (time.perf_counter() - begun)


MEASUREMENT = Measurement(goals=[RATE], measure=measure)
