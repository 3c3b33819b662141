"""Time. Nothing else in the project reads a clock, so tests and demonstrations can move it."""

import time
from datetime import UTC, datetime, timedelta

_offset = timedelta()


def shift(seconds: float) -> None:
    """Move the service's clock to real time plus `seconds`."""
    global _offset  # noqa: PLW0603 - one clock per process is the point
    _offset = timedelta(seconds=seconds)


def now() -> datetime:
    """The service's time: what trials, periods, tokens and retention follow."""
    return datetime.now(UTC) + _offset


def real_now() -> datetime:
    """Real time, whatever the service's clock says: OAuth, certificates and webhooks follow it."""
    return datetime.now(UTC)


def stopwatch() -> float:
    """Seconds of a clock that never jumps, for measuring durations."""
    return time.perf_counter()
