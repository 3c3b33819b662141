"""The service's clock. Nothing else in the project reads the time, so tests and demos can shift it."""

import time
from datetime import UTC, datetime, timedelta

_offset = timedelta()


def shift(seconds: float) -> None:
    """Move the service's clock to real time plus `seconds`."""
    global _offset  # noqa: PLW0603 - one clock per process is the point
    _offset = timedelta(seconds=seconds)


def now() -> datetime:
    """The service's time, used by trials, periods, tokens and retention."""
    return datetime.now(UTC) + _offset


def real_now() -> datetime:
    """Real time, regardless of `shift`, used by OAuth, certificates and webhooks."""
    return datetime.now(UTC)


def stopwatch() -> float:
    """Seconds of a monotonic clock, for durations and deadlines."""
    return time.perf_counter()
