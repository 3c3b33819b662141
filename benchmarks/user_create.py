"""Creating account holders: argon2id should dominate the cost of a call, and other callers should not wait for it."""

import asyncio
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import asyncpg
import msgspec
import uvloop

from benchmarks.contest import interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import CONNECTIONS, Times, send_all
from benchmarks.measurement import Measurement
from benchmarks.population import Population
from benchmarks.probe import Waits, idle_against_busy, probe, probe_for, reads_of
from benchmarks.requests import address_of, signed_request, user_body
from benchmarks.service import Service
from sitewright.kit.auth.argon2id import HASHER

AGAINST_ARGON2 = Goal("POST /users / argon2id alone on all cores", 0.85)
OTHERS = Goal("p99 of other calls: idle / while users are created", None)
READ = Population(brand_ref=1, first_ref=1_000_000_000, users=1, package="free")
FEW = 16
SECONDS = 3.0
MAILS_SECONDS = 30
LOOK_SECONDS = 0.05
UNSENT = "select exists (select from mails where sent_at is null and failed_at is null)"
PROBED_TIMES = 3
PROBED_SECONDS = 2.0


def measure(service: Service) -> list[Figure]:
    asyncio.run(READ.put_into(service.database_url))
    creations = Creations(service)
    creating, argon2 = interleave("users created", creations, Argon2("argon2id"), seconds=SECONDS, few=FEW)
    idle, busy = _waits(service, creations, max(creating.rounds))
    asyncio.run(_check(service.database_url, creations.made))
    return [
        creating.against(argon2, AGAINST_ARGON2, "an API process on every core, "),
        idle_against_busy(OTHERS, idle, busy, "while users are created"),
    ]


class Creations:
    """Requests for users that do not exist yet."""

    name = "POST /users"

    def __init__(self, service: Service) -> None:
        self._service = service
        self._url = f"{service.url}/users"
        self._credentials = service.credentials(READ.brand_ref)
        self.made = 0

    def rate(self, count: int) -> float:
        """Wait until the mails are sent, so that they do not disturb the next measurement."""
        requests = [self.request() for _ in range(count)]
        times = uvloop.run(send_all(address_of(self._url), requests))
        asyncio.run(_mails_are_sent(self._service.database_url))
        return times.rate_while_busy(CONNECTIONS)

    def request(self) -> bytes:
        self.made += 1
        body = user_body(READ.brand_ref, f"new-{self.made}")
        return signed_request(self._credentials, "POST", self._url, msgspec.json.encode(body))


class Argon2(msgspec.Struct, frozen=True):
    """The library with the service's parameters, with one thread per core."""

    name: str

    def rate(self, count: int) -> float:
        cores = len(os.sched_getaffinity(0))
        times = Times(time.perf_counter(), [])

        def hash_one(number: int) -> None:
            HASHER.hash(f"password {number}")
            times.done.append(time.perf_counter())

        with ThreadPoolExecutor(cores) as threads:
            wait([threads.submit(hash_one, number) for number in range(count)])
        return times.rate_while_busy(cores)


def _waits(service: Service, creations: Creations, creations_a_second: float) -> tuple[Waits, Waits]:
    """The latency of other callers, idle and while users are created, in interleaved rounds."""
    address, reads = address_of(service.url), reads_of(service, READ)
    idle, busy = Waits(), Waits()
    for _ in range(PROBED_TIMES):
        idle.seconds += probe_for(PROBED_SECONDS, address, reads).seconds
        requests = [creations.request() for _ in range(round(creations_a_second * PROBED_SECONDS))]
        busy.seconds += uvloop.run(_probe_while_creating(address, requests, reads)).seconds
    return idle, busy


async def _probe_while_creating(address: tuple[str, int], creations: list[bytes], reads: Iterator[bytes]) -> Waits:
    over = asyncio.Event()
    probing = asyncio.create_task(probe(address, reads, over))
    try:
        await send_all(address, creations)
    finally:
        over.set()
    return await probing


async def _mails_are_sent(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    try:
        async with asyncio.timeout(MAILS_SECONDS):
            while await owner.fetchval(UNSENT):  # noqa: ASYNC110 - the worker is another process
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        raise MeasurementFailed(f"mails were not sent within {MAILS_SECONDS} s") from None
    finally:
        await owner.close()


async def _check(database_url: str, made: int) -> None:
    """Check that every user exists once, with its own hash and a package."""
    owner = await asyncpg.connect(database_url)
    row = await owner.fetchrow(
        "select count(*) as users, count(distinct u.password_hash) as hashes, count(a.ref) as packages"
        " from users u left join account_packages a on a.user_ref = u.ref and a.ended_at is null"
        " where u.username like 'new-%'"
    )
    await owner.close()
    if row is None or set(row.values()) != {made}:
        raise MeasurementFailed(f"of {made} users created the database holds {row}")


MEASUREMENT = Measurement(goals=[AGAINST_ARGON2, OTHERS], measure=measure, on_every_core=True)
