"""Contestants do the same work in interleaved rounds; a figure is the median ratio of the first to another."""

import os
from collections.abc import Callable, Sequence
from statistics import median
from typing import Protocol

import httpx
import msgspec
from rich.console import Console
from rich.progress import track

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import CONNECTIONS, requests_per_second
from benchmarks.requests import address_of, raw_request

FEW = 50
WARM_UP_SECONDS = 0.5
ROUNDS = 3
ROUND_SECONDS = 0.7


class Contender(Protocol):
    """Anything that can do a piece of work a given number of times."""

    @property
    def name(self) -> str: ...
    def rate(self, count: int) -> float:
        """The rate per second."""


class Contestant(msgspec.Struct, frozen=True):
    """Sends the same request repeatedly."""

    name: str
    url: str
    headers: Callable[[], dict[str, str]] = dict[str, str]
    """Called for each request, since a signature is valid once."""
    method: str = "GET"

    def rate(self, count: int) -> float:
        requests = [raw_request(self.method, self.url, self.headers()) for _ in range(count)]
        return requests_per_second(address_of(self.url), requests)

    def fetch(self) -> object:
        response = httpx.request(self.method, self.url, headers=self.headers(), trust_env=False)
        if response.status_code != 200:
            raise MeasurementFailed(f"{self.name} returned {response.status_code}: {response.text[:200]}")
        return response.json()


class Caller(msgspec.Struct, frozen=True):
    """Sends requests that all differ."""

    name: str
    url: str
    request: Callable[[], bytes]

    def rate(self, count: int) -> float:
        return requests_per_second(address_of(self.url), [self.request() for _ in range(count)])


class Rates(msgspec.Struct, frozen=True):
    """The rates per second, by round."""

    name: str
    rounds: Sequence[float]

    def against(self, peer: "Rates", goal: Goal, setting: str = "one process each, ") -> Figure:
        """The median of the rounds' ratios, not the ratio of medians, since both rates of a round met the same machine
        load."""
        ratio = median(own / other for own, other in zip(self.rounds, peer.rounds, strict=True))
        return goal.measured(
            ratio,
            f"{self.name} {median(self.rounds):,.0f}/s, {peer.name} {median(peer.rounds):,.0f}/s; median of the ratios"
            f" of {len(self.rounds)} interleaved rounds, {CONNECTIONS} connections, {setting}client on the"
            f" same {len(os.sched_getaffinity(0))} cores",
        )


def compete(title: str, *contestants: Contestant) -> list[Rates]:
    """Compare contestants whose responses are equal."""
    _check_alike(contestants)
    return interleave(title, *contestants)


def interleave(title: str, *contenders: Contender, seconds: float = ROUND_SECONDS, few: int = FEW) -> list[Rates]:
    """Interleave rounds, so that a slow machine affects every contestant. `few` is quick, and sets the size of the
    warm-up."""
    warm_ups = [max(few, round(each.rate(few) * WARM_UP_SECONDS)) for each in contenders]
    counts = [round(each.rate(warm_up) * seconds) for each, warm_up in zip(contenders, warm_ups, strict=True)]
    rounds = track(range(ROUNDS), title, auto_refresh=False, console=Console(stderr=True))
    rates = [[each.rate(count) for each, count in zip(contenders, counts, strict=True)] for _ in rounds]
    return [Rates(each.name, own) for each, own in zip(contenders, zip(*rates, strict=True), strict=True)]


def _check_alike(contestants: Sequence[Contestant]) -> None:
    responses = {each.name: each.fetch() for each in contestants}
    first, *others = responses.values()
    if any(other != first for other in others):
        raise MeasurementFailed(f"the responses differ: {str(responses)[:300]}")
