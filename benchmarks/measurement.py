"""The interface of a set of figures: its goals, and a function that measures them all at once."""

from collections.abc import Callable, Sequence

import asyncpg
import httpx
import msgspec

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.idle import wait_until_idle
from benchmarks.service import Service


class Measurement(msgspec.Struct, frozen=True):
    goals: Sequence[Goal]
    measure: Callable[[Service], list[Figure]]
    """Takes the running service and returns one figure for every goal."""
    on_every_core: bool = False
    """Run the service with its default of one API process per core; otherwise with one process, like the references."""

    def run(self, service: Service) -> list[Figure]:
        wait_until_idle()
        try:
            return self.measure(service)
        except (MeasurementFailed, OSError, httpx.HTTPError, asyncpg.PostgresError) as failure:
            return self.failed(str(failure) or type(failure).__name__)

    def failed(self, reason: str) -> list[Figure]:
        return [goal.failed(reason) for goal in self.goals]
