"""The cost of replaying a stored response, compared with doing the work. It has no goal."""

import itertools
from collections.abc import Callable

from benchmarks.contest import Contestant, compete
from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.peer import running_peer
from benchmarks.service import Service
from benchmarks.signed_read import BRAND
from benchmarks.signing import authorization

REPLAY = Goal("idempotent replay / first call (a POST of one row)", 0)
PATH = "/written"


def measure(service: Service) -> list[Figure]:
    with running_peer("posting", service, ready_path="/health/live") as url:
        numbers = itertools.count()
        first = _posting(service, "first call", url, lambda: f"key-{next(numbers)}")
        replay = _posting(service, "replay", url, lambda: "one-key")
        replayed, called = compete("idempotent replay", replay, first)
    return [replayed.against(called, REPLAY)]


def _posting(service: Service, name: str, url: str, key: Callable[[], str]) -> Contestant:
    credentials = service.credentials(BRAND)

    def headers() -> dict[str, str]:
        return {"Authorization": authorization(credentials, "POST", url + PATH), "Idempotency-Key": key()}

    return Contestant(name, url + PATH, headers, "POST")


MEASUREMENT = Measurement(goals=[REPLAY], measure=measure)
