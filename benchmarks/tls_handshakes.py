"""Full TLS handshakes of the edge server compared with `openssl s_server` with the same certificate and key."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import msgspec

from benchmarks.contest import Rates, interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.processes import free_port, running
from benchmarks.service import Service
from benchmarks.tls_certificates import KEYS, Made, bind, make
from benchmarks.tls_clients import CLIENTS, clients, handshakes_per_second, shown_certificate

OPENSSL = shutil.which("openssl")
GOALS = {kind: Goal(f"TLS handshakes, {kind} / openssl s_server", 0.5) for kind in KEYS}


class Listener(msgspec.Struct, frozen=True):
    """A TLS server."""

    name: str
    port: int
    host: str
    pool: Executor

    def rate(self, count: int) -> float:
        return handshakes_per_second(self.pool, self.port, [self.host] * max(count, CLIENTS))

    def check(self, made: Made) -> None:
        if self.pool.submit(shown_certificate, self.port, self.host).result() not in made.chain:
            raise MeasurementFailed(f"{self.name} shows another certificate")


def measure(service: Service) -> list[Figure]:
    if OPENSSL is None:
        return [goal.without_peer("openssl") for goal in GOALS.values()]
    with clients() as pool:
        return [_compete(service, pool, kind, goal) for kind, goal in GOALS.items()]


def _compete(service: Service, pool: Executor, kind: str, goal: Goal) -> Figure:
    host = f"{kind.lower().replace(' ', '-')}.handshakes.example"
    made = make(kind, host)
    asyncio.run(bind(service, made, [host]))
    with _running_openssl(service.folder, made) as port:
        own_port = urlsplit(service.demo["siteTlsUrl"]).port or 0
        contenders = [Listener("service", own_port, host, pool), Listener("openssl s_server", port, host, pool)]
        for each in contenders:
            each.check(made)
        return _figure(goal, *interleave(f"TLS handshakes, {kind}", *contenders))


def _figure(goal: Goal, own: Rates, peer: Rates) -> Figure:
    ratio = median(ours / theirs for ours, theirs in zip(own.rounds, peer.rounds, strict=True))
    return goal.measured(
        ratio,
        f"{own.name} {median(own.rounds):,.0f}/s, {peer.name} {median(peer.rounds):,.0f}/s; median of the ratios of"
        f" {len(own.rounds)} interleaved rounds, TLS 1.3 without resumption, one process each, {CLIENTS} clients on the"
        f" same {len(os.sched_getaffinity(0))} cores",
    )


@contextmanager
def _running_openssl(folder: Path, made: Made) -> Iterator[int]:
    port = free_port()
    leaf, above, key = folder / "s_server.crt", folder / "s_server.above", folder / "s_server.key"
    for file, pem in zip((leaf, above, key), (*made.leaf_and_above, made.key), strict=True):
        file.write_bytes(pem)
    command = [OPENSSL or "openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-quiet", "-www"]
    with running(
        [*command, "-cert", str(leaf), "-cert_chain", str(above), "-key", str(key)],
        environment=os.environ,
        folder=folder,
        log=folder / "s_server.log",
        ready_url=f"https://127.0.0.1:{port}",
    ):
        yield port


MEASUREMENT = Measurement(goals=list(GOALS.values()), measure=measure)
