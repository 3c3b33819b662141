"""Optimistic concurrency: work prepared outside a transaction, checked inside one, and retried if it is stale."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from sitewright.kit.problems import Stale

T = TypeVar("T")
ATTEMPTS = 4


async def retry_stale(attempt: Callable[[], Awaitable[T]]) -> T:
    """Retry `attempt`, which prepares and does the work; the last `Stale` is raised to the caller."""
    for _ in range(ATTEMPTS - 1):
        with suppress(Stale):
            return await attempt()
    return await attempt()
