"""Rate limits on wrong credentials: budgets that the database counts, so that they hold across processes and nodes.

An attempt at a password is reserved before the slow verification and then released or counted (decision 0035).
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
"""So many times the budget of an address, unproven callers of the interface are no longer verified from there."""
MAX_CAP = 2**31 - 1
BUSY_WAIT_SECONDS, BUSY_POLL_SECONDS = 10, 0.05
_log = logging.getLogger("sitewright.authentication")


class RateLimited(Exception):
    """A budget is spent; nothing was verified."""

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(retry_after)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How many failures are allowed within the window."""

    realm: str
    window_seconds: int
    per_pair: int
    """Of one name from one address."""
    per_address: int
    """Of all names from one address: from here on, a wrong attempt is answered like a refused one."""
    address_cap: int
    """Of all names from one address: from here on, nothing is verified that was never right from there."""
    per_account: int | None
    """Of one name from all addresses where it was never right."""

    @classmethod
    def of_api(cls, settings: Settings) -> "Limits":
        return cls(
            realm="api",
            window_seconds=settings.failure_window_seconds,
            per_pair=settings.failures_per_key,
            per_address=settings.failures_of_unknown_keys,
            address_cap=min(settings.failures_of_unknown_keys * CAP_FACTOR, MAX_CAP),
            per_account=None,
        )

    @classmethod
    def of_log_in(cls, settings: Settings) -> "Limits":
        return cls(
            realm="login",
            window_seconds=settings.failure_window_seconds,
            per_pair=settings.failures_per_key,
            per_address=settings.login_failures_per_address,
            address_cap=settings.login_failures_per_address,
            per_account=settings.login_failures_per_account,
        )


class Pair(msgspec.Struct, frozen=True):
    """An address, as rate limits count it, and the digest of the name or key that was sent from it."""

    address: str
    key: str


class Budget:
    """The budgets of one realm, and the attempts that are counted against them."""

    def __init__(self, limits: Limits, sealer: Sealer) -> None:
        self.limits = limits
        self._sealer = sealer
        self._secret = lru_cache(maxsize=1)(lambda _key_name: sealer.derive("failed log-ins").encode())
        self._locks: WeakValueDictionary[Pair, asyncio.Lock] = WeakValueDictionary()

    def pair(self, address: str, kind: str, name: str) -> Pair:
        """It tells no name: people type passwords in its place. Unknown names are counted like known ones."""
        secret = self._secret(self._sealer.key_name)
        return Pair(rate_limit_key(address), f"{kind}:{_digest(name, secret)}")

    def one_at_a_time(self, pair: Pair) -> asyncio.Lock:
        """Attempts of one pair take turns in this process, so that few of them meet a budget that is about to be spent,
        and that what one of them verified is remembered for the others."""
        lock = self._locks.get(pair)
        if lock is None:
            lock = self._locks[pair] = asyncio.Lock()
        return lock

    async def attempt(
        self, lease: Lease, pair: Pair, verify: Callable[[], Awaitable[T]]
    ) -> tuple[store.ReservedAttempt, T]:
        """Reserves, then verifies without a connection. What could not be verified is no failure."""
        reserved = await self.reserve(lease, pair, is_pending=True)
        lease.give_back()
        try:
            return reserved, await verify()
        except Unavailable:
            await store.release_attempt(await lease.connection(), reserved.ref, clears=False)
            raise

    async def reserve(self, lease: Lease, pair: Pair, *, is_pending: bool) -> store.ReservedAttempt:
        """Counts the attempt before it is made; raises `RateLimited`.

        While other attempts that are being verified may yet spend the budget, it asks again after a moment.
        """
        give_up_at = clock.stopwatch() + BUSY_WAIT_SECONDS
        while clock.stopwatch() < give_up_at:
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
            lease.give_back()
            await asyncio.sleep(BUSY_POLL_SECONDS)
        raise LogInQueueFull


def log_failure(*, kind: str, reason: str, address: str, request_id: str, caller: str | None = None) -> None:
    """One line for each failed authentication, for the operator and for tools that ban addresses.

    Never what was typed: people type passwords as user names. Requests that a rate limit refuses have no line of their
    own, so that an attacker cannot fill the log with them.
    """
    fields = {"address": address, "kind": kind, "reason": reason, "request": request_id}
    if caller is not None:
        fields["caller"] = caller
    _log.warning("authentication failed", extra={"fields": fields})


def _digest(name: str, secret: bytes) -> str:
    return hashlib.blake2b(name.encode(errors="surrogatepass"), key=secret, digest_size=16).hexdigest()
