"""Rate-limited logging of database failures: one line per cause and interval."""

import logging

from sitewright.kit import clock

INTERVAL_SECONDS = 10.0


class FailureLog:
    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._logged_at: dict[str, float] = {}
        self._suppressed: dict[str, int] = {}

    def report(self, message: str, error: BaseException) -> None:
        """Log at most one line per error class and interval; the next line has the number of suppressed ones."""
        kind, now = type(error).__name__, clock.stopwatch()
        if kind in self._logged_at and now - self._logged_at[kind] < INTERVAL_SECONDS:
            self._suppressed[kind] = self._suppressed.get(kind, 0) + 1
            return
        self._logged_at[kind] = now
        fields = {"cause": _causes(error), "leftOut": self._suppressed.pop(kind, 0)}
        self._logger.error(message, extra={"fields": fields})


def _causes(error: BaseException) -> str:
    """The error and its causes, outermost first."""
    causes = []
    while True:
        causes.append(f"{type(error).__name__}: {error}")
        if error.__cause__ is None:
            return "; caused by ".join(causes)
        error = error.__cause__
