"""When a certificate is renewed: inside the authority's window, else in proportion to its lifetime."""

import random
from datetime import datetime, timedelta

from sitewright.domains.certificates.acme.client.messages import Window

SHORT_LIFETIME = timedelta(days=10)
"""Below it, half of the lifetime must be left at the renewal; else a third."""
SPREAD = 0.03
"""Of the lifetime: certificates that were obtained together are not renewed together."""
POLL_HOURS = (5.0, 9.0)
SHORTEST_POLL, LONGEST_POLL = timedelta(minutes=1), timedelta(hours=11)
"""The window is read at least twice a day, whatever the authority asks for."""


def renewal_time(not_before: datetime, not_after: datetime) -> datetime:
    """Without a window: before a third of the lifetime is left (a half of a short one), a little earlier at random."""
    lifetime = not_after - not_before
    share = 1 / 2 if lifetime < SHORT_LIFETIME else 1 / 3
    return not_after - lifetime * (share + random.uniform(0, SPREAD))  # noqa: S311 - no secret


def time_inside(window: Window, not_after: datetime) -> datetime:
    """At random inside the window, and before the certificate ends, whatever the authority says."""
    length = max(window.end - window.start, timedelta())
    return min(window.start + length * random.random(), not_after)  # noqa: S311 - no secret


def next_poll(retry_after: float | None) -> timedelta:
    """When to read the window again: when the authority asks for it, at least twice a day."""
    if retry_after is None:
        return timedelta(hours=random.uniform(*POLL_HOURS))  # noqa: S311 - no secret
    wanted = timedelta(seconds=min(retry_after, LONGEST_POLL.total_seconds()))
    return min(max(wanted * random.uniform(1.0, 1.1), SHORTEST_POLL), LONGEST_POLL)  # noqa: S311 - no secret
