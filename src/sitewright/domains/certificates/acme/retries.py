"""When an order that failed is tried again: after 1, 10 and 100 minutes, then daily for 30 days."""

import random
from datetime import timedelta

FIRST_DELAYS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(minutes=100))
DAILY, DAYS = timedelta(days=1), 30
STAGING_AFTER_FAILURES = 2
FALLBACK_AFTER = timedelta(days=1)
UNAVAILABLE_MIN, UNAVAILABLE_MAX = timedelta(seconds=30), timedelta(minutes=10)
JITTER = 0.1


def delay_after(failures: int, retry_after: float | None = None) -> timedelta | None:
    """The delay after so many failures, at least what the authority asks for; None when no attempt is left."""
    if failures > len(FIRST_DELAYS) + DAYS:
        return None
    delay = FIRST_DELAYS[failures - 1] if failures <= len(FIRST_DELAYS) else DAILY
    return max(_spread(delay), timedelta(seconds=min(retry_after or 0.0, timedelta(days=8).total_seconds())))


def delay_while_unavailable(unavailable_for: timedelta, retry_after: float | None = None) -> timedelta:
    """An authority that does not respond is tried more rarely the longer that lasts; no attempt is counted."""
    delay = min(max(unavailable_for / 4, UNAVAILABLE_MIN), UNAVAILABLE_MAX)
    return max(_spread(delay), timedelta(seconds=min(retry_after or 0.0, DAILY.total_seconds())))


def _spread(delay: timedelta) -> timedelta:
    return delay * random.uniform(1.0, 1 + JITTER)  # noqa: S311 - no secret
