"""Contestants do the same in turns; a figure is the median of how the first did against another."""

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
    """Whatever can do something so many times."""

    @property
    def name(self) -> str: ...
    def rate(self, count: int) -> float:
        """How many a second."""


class Contestant(msgspec.Struct, frozen=True):
    """Answers one request, again and again."""

    name: str
    url: str
    headers: Callable[[], dict[str, str]] = dict[str, str]
    """Called for each request, since a signature serves once."""
    method: str = "GET"

    def rate(self, count: int) -> float:
        requests = [raw_request(self.method, self.url, self.headers()) for _ in range(count)]
        return requests_per_second(address_of(self.url), requests)

    def answer(self) -> object:
        answer = httpx.request(self.method, self.url, headers=self.headers(), trust_env=False)
        if answer.status_code != 200:
            raise MeasurementFailed(f"{self.name} answered {answer.status_code}: {answer.text[:200]}")
        return answer.json()


class Caller(msgspec.Struct, frozen=True):
    """Sends requests of which each differs from the last."""

    name: str
    url: str
    request: Callable[[], bytes]

    def rate(self, count: int) -> float:
        return requests_per_second(address_of(self.url), [self.request() for _ in range(count)])


class Rates(msgspec.Struct, frozen=True):
    """How many a second, round by round."""

    name: str
    rounds: Sequence[float]

    def against(self, peer: "Rates", goal: Goal, setting: str = "one process each, ") -> Figure:
        """The median of the rounds' ratios, not the ratio of medians: both rates of a round met the same machine."""
        ratio = median(own / other for own, other in zip(self.rounds, peer.rounds, strict=True))
        return goal.measured(
            ratio,
            f"{self.name} {median(self.rounds):,.0f}/s, {peer.name} {median(peer.rounds):,.0f}/s; median of the ratios"
            f" of {len(self.rounds)} interleaved rounds, {CONNECTIONS} connections, {setting}client on the"
            f" same {len(os.sched_getaffinity(0))} cores",
        )


def compete(title: str, *contestants: Contestant) -> list[Rates]:
    """Between those who give the same answer."""
    _check_alike(contestants)
    return interleave(title, *contestants)


def interleave(title: str, *contenders: Contender, seconds: float = ROUND_SECONDS, few: int = FEW) -> list[Rates]:
    """Rounds are interleaved, so that whatever slows the machine down slows every contender. `few` can be done in no
    time, and tell how many to warm up with."""
    warm_ups = [max(few, round(each.rate(few) * WARM_UP_SECONDS)) for each in contenders]
    counts = [round(each.rate(warm_up) * seconds) for each, warm_up in zip(contenders, warm_ups, strict=True)]
    rounds = track(range(ROUNDS), title, auto_refresh=False, console=Console(stderr=True))
    rates = [[each.rate(count) for each, count in zip(contenders, counts, strict=True)] for _ in rounds]
    return [Rates(each.name, own) for each, own in zip(contenders, zip(*rates, strict=True), strict=True)]


def _check_alike(contestants: Sequence[Contestant]) -> None:
    answers = {each.name: each.answer() for each in contestants}
    first, *others = answers.values()
    if any(other != first for other in others):
        raise MeasurementFailed(f"the answers differ: {str(answers)[:300]}")
