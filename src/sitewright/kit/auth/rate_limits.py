"""Rate limits on wrong credentials: failure budgets counted in the database, shared by all processes and nodes.

A password attempt is reserved before the slow verification and then released or counted as a failure (decision 0035).
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import TypeVar
from weakref import WeakValueDictionary

import msgspec

from sitewright.kit import clock
from sitewright.kit.auth import store
from sitewright.kit.auth.login_queue import LogInQueueFull
from sitewright.kit.db import Lease
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.problems import Unavailable
from sitewright.kit.sealing import Sealer
from sitewright.settings import Settings

T = TypeVar("T")
CAP_FACTOR = 10
"""At this multiple of an address's budget, the API stops verifying names that never succeeded from there."""
MAX_CAP = 2**31 - 1
BUSY_WAIT_SECONDS, BUSY_POLL_SECONDS = 10, 0.05
_log = logging.getLogger("sitewright.authentication")


class RateLimited(Exception):
    """A budget is spent; nothing was verified."""

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(retry_after)


class RateLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The failures allowed within the window."""

    realm: str
    window_seconds: int
    per_pair: int
    """For one name from one address."""
    per_address: int
    """For all names from one address: beyond it, a wrong attempt gets the rate-limit response."""
    address_cap: int
    """For all names from one address: beyond it, names that never succeeded from there are not verified."""
    per_account: int | None
    """For one name from all addresses where it never succeeded."""

    @classmethod
    def of_api(cls, settings: Settings) -> "RateLimits":
        return cls(
            realm="api",
            window_seconds=settings.failure_window_seconds,
            per_pair=settings.failures_per_key,
            per_address=settings.failures_of_unknown_keys,
            address_cap=min(settings.failures_of_unknown_keys * CAP_FACTOR, MAX_CAP),
            per_account=None,
        )

    @classmethod
    def of_log_in(cls, settings: Settings) -> "RateLimits":
        return cls(
            realm="login",
            window_seconds=settings.failure_window_seconds,
            per_pair=settings.failures_per_key,
            per_address=settings.login_failures_per_address,
            address_cap=settings.login_failures_per_address,
            per_account=settings.login_failures_per_account,
        )


class Pair(msgspec.Struct, frozen=True):
    """What failures are counted by: an address's rate-limit key, and the digest of the name or key sent from it."""

    address: str
    key: str


class RateLimiter:
    """The rate limits of one realm, and the attempts counted against them."""

    def __init__(self, limits: RateLimits, sealer: Sealer) -> None:
        self.limits = limits
        self._sealer = sealer
        self._secret = lru_cache(maxsize=1)(lambda _key_name: sealer.derive("failed log-ins").encode())
        self._locks: WeakValueDictionary[Pair, asyncio.Lock] = WeakValueDictionary()

    def pair(self, address: str, kind: str, name: str) -> Pair:
        """Names are stored as digests, since people mistype passwords as names. Unknown names count like known ones."""
        secret = self._secret(self._sealer.key_name)
        return Pair(rate_limit_key(address), f"{kind}:{_digest(name, secret)}")

    def lock(self, pair: Pair) -> asyncio.Lock:
        """Serializes the attempts of one pair in this process, so that few of them wait for a nearly spent budget, and
        so that the others find the verified password in the cache."""
        lock = self._locks.get(pair)
        if lock is None:
            lock = self._locks[pair] = asyncio.Lock()
        return lock

    async def attempt(
        self, lease: Lease, pair: Pair, verify: Callable[[], Awaitable[T]]
    ) -> tuple[store.ReservedAttempt, T]:
        """Reserve the attempt, then verify without holding a connection. `Unavailable` does not count as a failure."""
        reserved = await self.reserve(lease, pair, is_pending=True)
        lease.release()
        try:
            return reserved, await verify()
        except Unavailable:
            await store.release_attempt(await lease.connection(), reserved.ref, clears=False)
            raise

    async def reserve(self, lease: Lease, pair: Pair, *, is_pending: bool) -> store.ReservedAttempt:
        """Count the attempt before it is made; raises `RateLimited`.

        Polls while the outcome depends on other attempts that are still being verified.
        """
        deadline = clock.stopwatch() + BUSY_WAIT_SECONDS
        while clock.stopwatch() < deadline:
            row = await store.reserve_attempt(
                await lease.connection(),
                self.limits.realm,
                pair.address,
                pair.key,
                is_pending,
                self.limits.window_seconds,
                self.limits.per_pair,
                self.limits.per_address,
                self.limits.address_cap,
                self.limits.per_account,
            )
            if row.attempt is not None:
                return store.ReservedAttempt(row.attempt, row.retry_after if row.over_address else None)
            if row.retry_after is not None:
                raise RateLimited(row.retry_after)
            lease.release()
            await asyncio.sleep(BUSY_POLL_SECONDS)
        raise LogInQueueFull


def log_failure(*, kind: str, reason: str, address: str, request_id: str, caller: str | None = None) -> None:
    """Log a failed authentication, for operators and for tools that ban addresses.

    The name is not logged, since people mistype passwords as user names. Requests rejected by a rate limit are not
    logged here, so that an attacker cannot fill the log.
    """
    fields = {"address": address, "kind": kind, "reason": reason, "request": request_id}
    if caller is not None:
        fields["caller"] = caller
    _log.warning("authentication failed", extra={"fields": fields})


def _digest(name: str, secret: bytes) -> str:
    return hashlib.blake2b(name.encode(errors="surrogatepass"), key=secret, digest_size=16).hexdigest()
