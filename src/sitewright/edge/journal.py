"""One log line and one count for every visit, written a few at a time.

Writing each by itself would take a fifth of the time of a visit. Writing those of a quarter of a second at once blocks
the event loop for 28 ms under load, and every visitor of that moment waits; those of 16 visits take 0.04 ms.
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
LINES_AT_ONCE = 16
"""About as many as one write to a pipe keeps whole."""
_LINE = (
    b'{"time":"%s.%03d+00:00","level":"info","logger":"sitewright.visits","message":"visit",%s,'
    b'"ms":%.1f,"request":"%s"}\n'
)


class About(msgspec.Struct, frozen=True, gc=False):
    """What is logged of a visit, beside when it was: never its query or body, nor who the visitor is."""

    route: str
    status: int
    text: bytes
    """Members of a JSON object."""


def about(visit: Visit, status: int) -> About:
    """By hand, since nothing of it needs escaping: numbers, methods that the parser knows, names of hosts."""
    site, host = visit.site, visit.host
    brand_ref, site_ref = ("null", "null") if site is None else (site.brand_ref, site.site_ref)
    name = "null" if host is None else f'"{host.name}"'
    text = f'"method":"{visit.method}","route":"{visit.route}","status":{status}'
    return About(visit.route, status, f'{text},"brand":{brand_ref},"site":{site_ref},"host":{name}'.encode())


class Journal:
    def __init__(self, metrics: Metrics) -> None:
        self._visit_counter = metrics.counter(
            "sitewright_visits", "Visits of sites by what was asked for and status.", ["route", "status"]
        )
        self._seconds_counter = metrics.counter(
            "sitewright_visit_seconds", "How long visits of sites took, all together.", ["route"]
        )
        self._visits: list[tuple[About, bytes, float, float]] = []
        self._counts: dict[tuple[str, int], tuple[int, float]] = {}
        """How many visits there were, and their seconds, by route and status."""

    def add(self, about: About, request_id: bytes, started: float, ended: float) -> None:
        self._visits.append((about, request_id, started, ended))
        if len(self._visits) >= LINES_AT_ONCE:
            self._write_lines()

    async def keep(self) -> None:
        """For as long as the process lives."""
        try:
            while True:
                await asyncio.sleep(EVERY_SECONDS)
                self.write()
        finally:
            self.write()

    def write(self) -> None:
        """All that is left."""
        self._write_lines()
        counts, self._counts = self._counts, {}
        for (route, status), (count, seconds) in counts.items():
            self._visit_counter.labels(route, str(status)).inc(count)
            self._seconds_counter.labels(route).inc(seconds)

    def _write_lines(self) -> None:
        visits, self._visits = self._visits, []
        logs.write_encoded(_lines(visits))
        for about, _, started, ended in visits:
            key = (about.route, about.status)
            count, seconds = self._counts.get(key, (0, 0.0))
            self._counts[key] = (count + 1, seconds + ended - started)


def _lines(visits: list[tuple[About, bytes, float, float]]) -> Iterator[bytes]:
    stopwatch_began = clock.real_now().timestamp() - clock.stopwatch()
    for about, request_id, started, ended in visits:
        moment = stopwatch_began + ended
        second = int(moment)
        milliseconds = int((moment - second) * 1000)
        yield _LINE % (_in_words(second), milliseconds, about.text, (ended - started) * 1000, request_id)


@lru_cache(maxsize=4)
def _in_words(second: int) -> bytes:
    """Visits of one second share most of their time."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()
