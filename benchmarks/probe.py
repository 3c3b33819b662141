"""The latency of other callers: a few requests a second over separate connections, each timed."""

import asyncio
import time
from collections.abc import Iterator

import msgspec
import uvloop

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import is_whole
from benchmarks.population import Population
from benchmarks.requests import signed_request
from benchmarks.service import Service

CONNECTIONS = 4
PER_SECOND = 100
LONGEST_SECONDS = 10


class Waits(msgspec.Struct):
    """Latencies in seconds."""

    seconds: list[float] = []

    @property
    def p99(self) -> float:
        """The 99th percentile."""
        return sorted(self.seconds)[int(len(self.seconds) * 0.99)]

    @property
    def summary(self) -> str:
        ordered = sorted(self.seconds)
        return f"p99 {self.p99 * 1000:.1f} ms (median {ordered[len(ordered) // 2] * 1000:.1f} ms of {len(ordered)})"


def idle_against_busy(goal: Goal, idle: Waits, busy: Waits, meanwhile: str) -> Figure:
    return goal.measured(
        idle.p99 / busy.p99,
        f"signed GET of a user at {PER_SECOND}/s over {CONNECTIONS} connections: {idle.summary} idle,"
        f" {busy.summary} {meanwhile}",
    )


def probe_for(seconds: float, address: tuple[str, int], requests: Iterator[bytes]) -> Waits:
    async def run() -> Waits:
        over = asyncio.Event()
        asyncio.get_running_loop().call_later(seconds, over.set)
        return await probe(address, requests, over)

    return uvloop.run(run())


async def probe(address: tuple[str, int], requests: Iterator[bytes], over: asyncio.Event) -> Waits:
    """Send at a steady rate until the end; connections take turns. The first request of each does not count."""
    callers = [Caller(*await asyncio.open_connection(*address)) for _ in range(CONNECTIONS)]
    waits = Waits()
    try:
        for caller in callers:
            await caller.ask(next(requests))
        started = time.perf_counter()
        turns = [started + number / PER_SECOND for number in range(CONNECTIONS)]
        asking = [caller.keep_asking(requests, due, over) for caller, due in zip(callers, turns, strict=True)]
        waits.seconds = [seconds for each in await asyncio.gather(*asking) for seconds in each]
    finally:
        for caller in callers:
            caller.close()
    return waits


def reads_of(service: Service, population: Population) -> Iterator[bytes]:
    """An endless series of signed requests for its first user. Take them one by one, since a signature expires after
    minutes."""
    url = f"{service.url}/users/{population.first_ref}"
    credentials = service.credentials(population.brand_ref)
    while True:
        yield signed_request(credentials, "GET", url)


class Caller:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def keep_asking(self, requests: Iterator[bytes], due: float, over: asyncio.Event) -> list[float]:
        """A request that had to wait for the previous response is timed from when it was due."""
        waits: list[float] = []
        received = 0.0
        while not over.is_set():
            request = next(requests)  # signed before its time starts
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            asked = due if received > due else time.perf_counter()
            await self.ask(request)
            received = time.perf_counter()
            waits.append(received - asked)
            due += CONNECTIONS / PER_SECOND
        return waits

    async def ask(self, request: bytes) -> None:
        self._writer.write(request)
        reply = b""
        async with asyncio.timeout(LONGEST_SECONDS):
            while not is_whole(reply):
                received = await self._reader.read(65536)
                if not received:
                    raise MeasurementFailed("the server closed the connection of a probe")
                reply += received

    def close(self) -> None:
        self._writer.close()
