"""Visitors of sites: one page repeatedly, compared with nginx and bare uvicorn; and 20,000 sites, each of them once."""

import asyncio
import re
import shutil
import subprocess
from urllib.parse import urlsplit

import httpx
import msgspec

from benchmarks.contest import Rates, interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import CONNECTIONS, requests_per_second
from benchmarks.measurement import Measurement
from benchmarks.nginx import PROGRAM as NGINX
from benchmarks.nginx import running_nginx
from benchmarks.parts import memory_mib, pid_of
from benchmarks.peer import running_peer
from benchmarks.peers import PAGE
from benchmarks.published_sites import SITES, fill, host_of, page
from benchmarks.requests import address_of
from benchmarks.service import Service

AGAINST_NGINX = Goal("published page / nginx with a static file of the same bytes", 0.3)
AGAINST_UVICORN = Goal("published page / bare uvicorn with the same bytes", 0.75)
MEMORY = Goal("300 MiB / memory of the edge server after visits of 20,000 sites", 1.0)
MOST_MIB = 300
AT_ONCE = 2_000
WRK = shutil.which("wrk")
WRK_SECONDS = 1
_RATE = re.compile(r"Requests/sec:\s*([\d.]+)")


class Visitors(msgspec.Struct, frozen=True):
    """Request one page repeatedly. Uses wrk if installed, since our load generator is slower than nginx."""

    name: str
    url: str
    host: str = host_of(0)

    def rate(self, count: int) -> float:
        if WRK is None:
            return requests_per_second(address_of(self.url), [visit(self.host, urlsplit(self.url).path)] * count)
        command = [WRK, "-t1", f"-c{CONNECTIONS}", f"-d{WRK_SECONDS}s", "-H", f"Host: {self.host}", self.url]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rate = _RATE.search(output)
        if rate is None or "Non-2xx" in output or "Socket errors" in output:
            raise MeasurementFailed(f"visits of {self.name}: {output[-300:]}")
        return float(rate[1])

    def check(self, body: bytes) -> None:
        response = httpx.get(self.url, headers={"Host": self.host, "Accept-Encoding": ""}, trust_env=False)
        if (response.status_code, response.content) != (200, body):
            raise MeasurementFailed(f"{self.name} returned {response.status_code}: {response.text[:200]}")


def visit(host: str, path: str = f"/{PAGE}") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def measure(service: Service) -> list[Figure]:
    asyncio.run(fill(service.database_url))
    (service.folder / PAGE).write_bytes(page())
    return [*_speed(service), _memory(service)]


def _speed(service: Service) -> list[Figure]:
    own = Visitors("service", f"{service.demo['siteUrl']}/{PAGE}")
    with running_peer("page", service, ready_path=f"/{PAGE}") as url:
        bare = Visitors("uvicorn", f"{url}/{PAGE}")
        if NGINX is None:
            ours, uvicorn = _compete(own, bare)
            return [AGAINST_NGINX.without_peer("nginx"), ours.against(uvicorn, AGAINST_UVICORN)]
        with running_nginx(service.folder, PAGE, page()) as nginx_url:
            ours, uvicorn, nginx = _compete(own, bare, Visitors("nginx", nginx_url))
    setting = f"one worker each, {'wrk' if WRK else 'our own load generator'} as the "
    return [ours.against(nginx, AGAINST_NGINX, setting), ours.against(uvicorn, AGAINST_UVICORN, setting)]


def _compete(*visitors: Visitors) -> list[Rates]:
    for each in visitors:
        each.check(page())
    return interleave("a published page", *visitors)


def _memory(service: Service) -> Figure:
    address = address_of(service.demo["siteUrl"])
    requests = [visit(host_of(number)) for number in range(SITES)]
    rates = [requests_per_second(address, requests[at : at + AT_ONCE]) for at in range(0, SITES, AT_ONCE)]
    used = memory_mib(pid_of(service.log, "edge"))
    note = f"{used:.0f} MiB; the first visit of each, {SITES / sum(AT_ONCE / rate for rate in rates):,.0f}/s"
    return MEMORY.measured(MOST_MIB / used, note)


MEASUREMENT = Measurement(goals=[AGAINST_NGINX, AGAINST_UVICORN, MEMORY], measure=measure)
