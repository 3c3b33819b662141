"""Optimistic work: prepared without a lock or a transaction, checked inside one, and done again if it does not fit."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from sitewright.kit.problems import Stale

T = TypeVar("T")
ATTEMPTS = 4


async def retry_stale(attempt: Callable[[], Awaitable[T]]) -> T:
    """`attempt` prepares and does the work; after a few times of `Stale` the problem is the caller's."""
    for _ in range(ATTEMPTS - 1):
        with suppress(Stale):
            return await attempt()
    return await attempt()
