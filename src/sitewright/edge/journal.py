"""One log line and one count for every visit, written together a few times a second.

Writing each by itself would take a fifth of the time of a visit.
"""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from sitewright.edge.visit import Visit
from sitewright.kit import clock, logs
from sitewright.kit.metrics import Metrics

EVERY_SECONDS = 0.25


class About(msgspec.Struct, frozen=True, gc=False):
    """What is logged of a visit, beside when it was: never its query or body, nor who the visitor is."""

    route: str
    status: int
    text: str
    """Members of a JSON object."""


def about(visit: Visit, status: int) -> About:
    """By hand, since nothing of it needs escaping: numbers, methods that the parser knows, names of hosts."""
    site, host = visit.site, visit.host
    brand_ref, site_ref = ("null", "null") if site is None else (site.brand_ref, site.site_ref)
    name = "null" if host is None else f'"{host.name}"'
    text = f'"method":"{visit.method}","route":"{visit.route}","status":{status}'
    return About(visit.route, status, f'{text},"brand":{brand_ref},"site":{site_ref},"host":{name}')


class Journal:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._visits: list[tuple[About, bytes, float, float]] = []

    def add(self, about: About, request_id: bytes, started: float, ended: float) -> None:
        self._visits.append((about, request_id, started, ended))

    async def keep(self) -> None:
        """For as long as the process lives."""
        try:
            while True:
                await asyncio.sleep(EVERY_SECONDS)
                self.write()
        finally:
            self.write()

    def write(self) -> None:
        visits, self._visits = self._visits, []
        logs.write_encoded(_lines(visits))
        seconds: dict[tuple[str, int], list[float]] = {}
        for about, _, started, ended in visits:
            seconds.setdefault((about.route, about.status), []).append(ended - started)
        for (route, status), each in seconds.items():
            self._metrics.count_visits(route, status, len(each), sum(each))


def _lines(visits: list[tuple[About, bytes, float, float]]) -> Iterator[bytes]:
    stopwatch_began = clock.real_now().timestamp() - clock.stopwatch()
    for about, request_id, started, ended in visits:
        moment = stopwatch_began + ended
        second = int(moment)
        at = f"{_in_words(second)}.{int((moment - second) * 1000):03d}+00:00"
        yield (
            f'{{"time":"{at}","level":"info","logger":"sitewright.visits","message":"visit",{about.text},'
            f'"ms":{(ended - started) * 1000:.1f},"request":"{request_id.decode()}"}}\n'
        ).encode()


@lru_cache(maxsize=4)
def _in_words(second: int) -> str:
    """Visits of one second share most of their time."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
