"""Passwords: argon2id, off the event loop, and never more at once than there are CPUs for it."""

import base64
import os
from contextlib import AbstractContextManager

from argon2 import PasswordHasher

from sitewright.kit.auth.argon2id import HASHER
from sitewright.kit.auth.hashing import HashingPool, NewExecutor, thread_pool
from sitewright.kit.auth.login_queue import LogInQueue
from sitewright.kit.fair_queue import Tenant

LOG_IN_PLACES = 24
WAIT_SECONDS = 30
HASHES_PER_BRAND = 256
"""That may wait in one process; two cores hash as many in about five seconds."""


class Passwords:
    def __init__(
        self,
        *,
        at_once: int,
        new_executor: NewExecutor = thread_pool,
        hasher: PasswordHasher = HASHER,
        log_in_places: int = LOG_IN_PLACES,
        hashing_wait_seconds: float = WAIT_SECONDS,
        hashes_per_brand: int = HASHES_PER_BRAND,
    ) -> None:
        """`log_in_places`: log-ins that may wait at once. `hashing_wait_seconds`: how long a hash may take to come."""
        self._pool = HashingPool(new_executor, at_once, hashing_wait_seconds, hashes_per_brand)
        self._log_ins = {is_trusted: LogInQueue(log_in_places) for is_trusted in (True, False)}
        self.hasher = hasher
        self._hash_of_nothing = _hash_of_nothing(hasher)

    def admit_log_in(
        self, address: str, verifications: int = 1, *, is_trusted: bool = False
    ) -> AbstractContextManager[None]:
        """A place in the bounded queue, taken before anything is done for a log-in; raises `LogInQueueFull`.

        Trusted addresses have their own queue, so that untrusted clients cannot fill it.
        """
        return self._log_ins[is_trusted].admit(address, verifications)

    async def hash(self, password: str, tenant: Tenant) -> str:
        """Brands take turns. `Unavailable` after the time limit, or at once if too many of the brand's wait."""
        return await self._pool.hash(self.hasher, password, tenant)

    async def verify(self, password: str, password_hash: str | None) -> bool:
        """Without a hash (nobody has that name) it takes as long as with one, and is wrong."""
        if password_hash is None:
            await self._pool.verify(self._hash_of_nothing, password)
            return False
        return await self._pool.verify(password_hash, password)

    def needs_rehash(self, password_hash: str) -> bool:
        """Whether it was made with other parameters than those in force."""
        return self.hasher.check_needs_rehash(password_hash)

    async def close(self) -> None:
        await self._pool.close()


def _hash_of_nothing(hasher: PasswordHasher) -> str:
    """A hash with the parameters in force that no password has: random bytes in place of salt and digest."""
    salt, digest = (
        base64.b64encode(os.urandom(length)).decode().rstrip("=") for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v=19$m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}${salt}${digest}"
