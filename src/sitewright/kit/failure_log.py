"""One log line per cause and interval, however many requests a failure of the database hits."""

import logging

from sitewright.kit import clock

INTERVAL_SECONDS = 10.0


class FailureLog:
    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._logged_at: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def report(self, message: str, error: BaseException) -> None:
        """Rate-limited by the class of the error. The next line says how many were left out."""
        kind, now = type(error).__name__, clock.stopwatch()
        if kind in self._logged_at and now - self._logged_at[kind] < INTERVAL_SECONDS:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return
        self._logged_at[kind] = now
        fields = {"cause": _causes(error), "leftOut": self._left_out.pop(kind, 0)}
        self._logger.error(message, extra={"fields": fields})


def _causes(error: BaseException) -> str:
    """The error and what it came from, outermost first."""
    said = []
    while True:
        said.append(f"{type(error).__name__}: {error}")
        if error.__cause__ is None:
            return "; caused by ".join(said)
        error = error.__cause__
