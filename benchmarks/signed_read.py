"""What authentication, isolation and the rest of the house cost: a signed GET against the same read without them."""

import os
from collections.abc import Callable
from statistics import median
from urllib.parse import urlsplit

import httpx
import msgspec
from rich.console import Console
from rich.progress import track

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import CONNECTIONS, requests_per_second
from benchmarks.measurement import Measurement
from benchmarks.peer import running_peer
from benchmarks.service import Service
from benchmarks.signing import authorization

AGAINST_BARE = Goal("signed GET / bare asyncpg + msgspec handler", 0.4)
AGAINST_ORM = Goal("signed GET / FastAPI + SQLAlchemy ORM handler", 2)
BRAND = 1
PATH = f"/brands/{BRAND}/languages"
WARM_UP_REQUESTS = 1000
ROUNDS = 7
ROUND_SECONDS = 1.5

Headers = dict[str, str]


class Contestant(msgspec.Struct, frozen=True):
    url: str
    headers: Callable[[], Headers]
    """Called for each request, since a signature serves once."""

    def rate(self, count: int) -> float:
        address = urlsplit(self.url)
        requests = [self._request(address.netloc, address.path) for _ in range(count)]
        return requests_per_second((address.hostname or "", address.port or 80), requests)

    def answer(self) -> object:
        answer = httpx.get(self.url, headers=self.headers(), trust_env=False)
        if answer.status_code != 200:
            raise MeasurementFailed(f"{self.url} answered {answer.status_code}: {answer.text[:200]}")
        return answer.json()

    def _request(self, host: str, path: str) -> bytes:
        headers = {"Host": host} | self.headers()
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


def measure(service: Service) -> list[Figure]:
    with (
        running_peer("bare", service, ready_path=PATH) as bare,
        running_peer("orm", service, ready_path=PATH) as orm,
    ):
        unsigned = dict[str, str]
        rounds = _rounds([_signed(service), Contestant(bare + PATH, unsigned), Contestant(orm + PATH, unsigned)])
    return [_figure(AGAINST_BARE, rounds, "bare", 1), _figure(AGAINST_ORM, rounds, "ORM", 2)]


def _signed(service: Service) -> Contestant:
    url, credentials = service.url + PATH, service.credentials(BRAND)
    return Contestant(url, lambda: {"Authorization": authorization(credentials, "GET", url)})


def _rounds(contestants: list[Contestant]) -> list[list[float]]:
    """The rates of every round, one for each contestant; they take turns, so that the machine's moods hit all."""
    answers = [each.answer() for each in contestants]
    if any(answer != answers[0] for answer in answers):
        raise MeasurementFailed(f"the contestants do not answer alike: {answers}")
    counts = [round(each.rate(WARM_UP_REQUESTS) * ROUND_SECONDS) for each in contestants]
    turns = track(range(ROUNDS), "signed reads", auto_refresh=False, console=Console(stderr=True))
    return [[each.rate(count) for each, count in zip(contestants, counts, strict=True)] for _ in turns]


def _figure(goal: Goal, rounds: list[list[float]], peer: str, column: int) -> Figure:
    """The median of the rounds' ratios: both rates of a ratio come from the same few seconds."""
    ratio = median(rates[0] / rates[column] for rates in rounds)
    service_rate, peer_rate = median(rates[0] for rates in rounds), median(rates[column] for rates in rounds)
    return goal.measured(
        ratio,
        f"{service_rate:,.0f}/s against {peer_rate:,.0f}/s ({peer}); median of the ratios of {ROUNDS} rounds,"
        f" {CONNECTIONS} connections, one process each, client on the same {len(os.sched_getaffinity(0))} cores",
    )


MEASUREMENT = Measurement(goals=[AGAINST_BARE, AGAINST_ORM], measure=measure)
