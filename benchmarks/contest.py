"""Contestants answer the same request in turns; a figure is the median of how the first did against another."""

import os
from collections.abc import Callable, Sequence
from statistics import median
from urllib.parse import urlsplit

import httpx
import msgspec
from rich.console import Console
from rich.progress import track

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import CONNECTIONS, requests_per_second

WARM_UP_REQUESTS = 1000
ROUNDS = 7
ROUND_SECONDS = 1.5


class Contestant(msgspec.Struct, frozen=True):
    name: str
    url: str
    headers: Callable[[], dict[str, str]] = dict[str, str]
    """Called for each request, since a signature serves once."""
    method: str = "GET"

    def rate(self, count: int) -> float:
        address = urlsplit(self.url)
        requests = [self._request(address.netloc, address.path) for _ in range(count)]
        return requests_per_second((address.hostname or "", address.port or 80), requests)

    def answer(self) -> object:
        answer = httpx.request(self.method, self.url, headers=self.headers(), trust_env=False)
        if answer.status_code != 200:
            raise MeasurementFailed(f"{self.name} answered {answer.status_code}: {answer.text[:200]}")
        return answer.json()

    def _request(self, host: str, path: str) -> bytes:
        headers = {"Host": host, "Content-Length": "0"} | self.headers()
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{self.method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


class Rates(msgspec.Struct, frozen=True):
    """Requests a second, round by round."""

    name: str
    rounds: Sequence[float]

    def against(self, peer: "Rates", goal: Goal) -> Figure:
        """The median of the rounds' ratios, not the ratio of medians: both rates of a round met the same machine."""
        ratio = median(own / other for own, other in zip(self.rounds, peer.rounds, strict=True))
        return goal.measured(
            ratio,
            f"{self.name} {median(self.rounds):,.0f}/s, {peer.name} {median(peer.rounds):,.0f}/s; median of the ratios"
            f" of {len(self.rounds)} interleaved rounds, {CONNECTIONS} connections, one process each, client on the"
            f" same {len(os.sched_getaffinity(0))} cores",
        )


def compete(title: str, *contestants: Contestant) -> list[Rates]:
    """Rounds are interleaved, so that whatever slows the machine down slows every contestant."""
    _check_alike(contestants)
    counts = [round(each.rate(WARM_UP_REQUESTS) * ROUND_SECONDS) for each in contestants]
    rounds = track(range(ROUNDS), title, auto_refresh=False, console=Console(stderr=True))
    rates = [[each.rate(count) for each, count in zip(contestants, counts, strict=True)] for _ in rounds]
    return [Rates(each.name, own) for each, own in zip(contestants, zip(*rates, strict=True), strict=True)]


def _check_alike(contestants: Sequence[Contestant]) -> None:
    answers = {each.name: each.answer() for each in contestants}
    first, *others = answers.values()
    if any(other != first for other in others):
        raise MeasurementFailed(f"the answers differ: {str(answers)[:300]}")
