"""Automatic certificates by the service's own worker: orders compared with a bare client, and 10,000 due renewals."""

import asyncio
import os
import secrets
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import asyncpg
import httpx
import msgspec

from benchmarks.bare_certificates import CONCURRENCY, BareClient
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.parts import pid_of
from benchmarks.service import Service, own_folder, running_service
from benchmarks.tls_certificates import BRAND, bind, make
from sitewright.demo.authority.objects import Issued
from sitewright.demo.authority.service import JOURNAL
from sitewright.kit import clock

if TYPE_CHECKING:
    from sitewright.kit.pool import Connection

ORDERED = Goal("certificates obtained a minute by one worker / by a bare client of the same authority", 0.6)
RENEWED = Goal("10 minutes / 10,000 due renewals by one worker", 1.0)
ROUNDS, ORDERS, RENEWALS = 3, 300, 10_000
RENEWAL_SECONDS = 600
LONGEST_SECONDS = 1200
LOOK_SECONDS = 0.05
UNLIMITED = {"acme_orders_per_3_hours": 1_000_000, "acme_certificates_per_domain_week": 1_000_000}
LIFETIME = timedelta(days=90)


def measure(_: Service) -> list[Figure]:
    """In a service of its own, without the limits that public authorities need."""
    with own_folder() as folder, running_service(folder, **UNLIMITED) as service:
        bare, own = [], []
        for number in range(ROUNDS):
            hosts = [f"round-{number}-{each}" for each in range(ORDERS)]
            bare.append(BareClient(service).rate(hosts))
            own.append(asyncio.run(_order(service, [f"{host}.bench.example" for host in hosts])))
        seconds = asyncio.run(_renew(service, [f"renewed-{number}.bench.example" for number in range(RENEWALS)]))
    ratio = median(ours / theirs for ours, theirs in zip(own, bare, strict=True))
    return [
        ORDERED.measured(
            ratio,
            f"service {median(own) * 60:,.0f} a minute, bare client {median(bare) * 60:,.0f} a minute; median of the"
            f" ratios of {ROUNDS} interleaved rounds of {ORDERS} orders by http-01, {CONCURRENCY} at a time",
        ),
        RENEWED.measured(
            RENEWAL_SECONDS / seconds, f"{RENEWALS:,} in {seconds:.0f} s, {RENEWALS / seconds * 60:,.0f} a minute"
        ),
    ]


async def _order(service: Service, hosts: Sequence[str]) -> float:
    """Certificates a second, from the first to the last: the worker looks for due orders only every few seconds."""
    owner = await asyncpg.connect(service.database_url)
    try:
        site_ref = service.brand(BRAND)["demoUser"]["siteRef"]
        await owner.execute(MAP, BRAND, site_ref, hosts, clock.now())
        await owner.execute(FIND, BRAND, hosts)
        await owner.execute(MAKE_DUE, BRAND, hosts, clock.now())
        begun, seconds = await _finish(lambda: owner.fetchval(OBTAINED, BRAND, hosts), len(hosts))
        return (len(hosts) - begun) / seconds
    finally:
        await owner.close()


async def _renew(service: Service, hosts: Sequence[str]) -> float:
    """Seconds for all of them, from the first to the last."""
    await bind(service, make("EC P-256", hosts[0]), hosts, source="automatic")
    owner = await asyncpg.connect(service.database_url)
    try:
        known = await _add_to_authority(service, owner, hosts)
        await owner.execute(FIND, BRAND, hosts)
        directory, now = service.demo["acmeDirectory"], clock.now()
        await owner.execute(MAKE_RENEWABLE, BRAND, hosts, [each.ref for each in known], directory, now)
        await owner.execute("vacuum analyze automatic_certificates, automatic_certificate_hosts, certificates")
        await owner.execute("update automatic_certificates set due_at = $1 where due_at > $1 and renew_at <= $1", now)
        begun, seconds = await _finish(lambda: owner.fetchval(RENEWED_COUNT, BRAND, hosts, now), len(hosts))
        return seconds * len(hosts) / (len(hosts) - begun)
    finally:
        await owner.close()


async def _finish(count: Callable[[], Awaitable[int]], wanted: int) -> tuple[int, float]:
    """How many were done when the clock started, and the seconds until all were."""
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            while not (begun := await count()):  # noqa: ASYNC110 - the worker is another process
                await asyncio.sleep(LOOK_SECONDS)
            started = time.perf_counter()
            while await count() < wanted:  # noqa: ASYNC110 - as above
                await asyncio.sleep(LOOK_SECONDS)
            return begun, time.perf_counter() - started
    except TimeoutError:
        raise MeasurementFailed(f"{wanted - await count()} of {wanted} had no certificate in time") from None


async def _add_to_authority(service: Service, owner: "Connection", hosts: Sequence[str]) -> list[Issued]:
    """The authority reads from its journal what it shall have issued, when its process starts again."""
    account = str(await owner.fetchval("select url from acme_accounts")).rpartition("/")[2]
    now = clock.real_now()
    made = [
        Issued(secrets.token_urlsafe(24), account, "", [host], "", now - LIFETIME * 2 / 3, now + LIFETIME / 3)
        for host in hosts
    ]
    lines = (msgspec.json.encode({"kind": "Issued", "object": each}) + b"\n" for each in made)
    with (Path(service.demo["acmeCaFile"]).parent / JOURNAL).open("ab") as journal:
        journal.writelines(lines)
    os.kill(pid_of(service.log, "demo-network"), signal.SIGKILL)
    await _wait_for(service.demo["acmeDirectory"], service.demo["acmeCaFile"])
    return made


async def _wait_for(directory: str, ca_file: str) -> None:
    deadline = time.monotonic() + LONGEST_SECONDS
    async with httpx.AsyncClient(verify=ca_file, trust_env=False) as client:
        while time.monotonic() < deadline:
            try:
                (await client.get(directory)).raise_for_status()
            except httpx.HTTPError:
                await asyncio.sleep(LOOK_SECONDS)
            else:
                return
    raise MeasurementFailed("the authority did not start again")


MAP = "insert into site_domains (brand_ref, site_ref, domain, created_at) select $1, $2, unnest($3::text[]), $4"
FIND = """
    insert into automatic_certificate_hosts (brand_ref, domain_ref, host, group_name, points_here)
    select brand_ref, ref, domain, domain, true from site_domains where brand_ref = $1 and domain = any($2)
"""
MAKE_DUE = """
    insert into automatic_certificates (brand_ref, name, is_wildcard, due_at, created_at)
    select $1, unnest($2::text[]), false, $3, $3
"""
OBTAINED = """
    select count(*) from automatic_certificates where brand_ref = $1 and name = any($2) and not_after is not null
"""
MAKE_RENEWABLE = """
    insert into automatic_certificates (brand_ref, name, is_wildcard, due_at, created_at, certificate_ref, directory,
                                        certificate_id, names, not_before, not_after, renew_at)
    select $1, host, false, $5::timestamptz + interval '1 day', $5, c.ref, $4, known, array[host],
           $5 - interval '60 days', $5 + interval '30 days', $5 - interval '1 hour'
      from unnest($2::text[], $3::text[]) x (host, known)
      join certificates c on c.brand_ref = $1 and c.domain = host
"""
RENEWED_COUNT = """
    select count(*) from automatic_certificates where brand_ref = $1 and name = any($2) and renew_at > $3
"""

MEASUREMENT = Measurement(goals=[ORDERED, RENEWED], measure=measure)
