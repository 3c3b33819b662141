"""Passwords: argon2id, off the event loop, and never more at once than there are cores for it."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerificationError

T = TypeVar("T")
NICENESS = 10


class Passwords:
    def __init__(self, *, at_once: int) -> None:
        self._hasher = PasswordHasher(memory_cost=19 * 1024, time_cost=2, parallelism=1, type=Type.ID)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="argon2", initializer=_stand_back)
        self._hash_of_nothing: str | None = None

    async def hash(self, password: str) -> str:
        return await self._in_thread(self._hasher.hash, password)

    async def verify(self, password: str, password_hash: str | None) -> bool:
        """Without a hash (nobody has that name) it takes as long as with one, and is wrong."""
        if password_hash is None:
            self._hash_of_nothing = self._hash_of_nothing or await self.hash("")
            await self._in_thread(self._matches, self._hash_of_nothing, password)
            return False
        return await self._in_thread(self._matches, password_hash, password)

    def needs_rehash(self, password_hash: str) -> bool:
        """Whether it was made with other parameters than those in force."""
        return self._hasher.check_needs_rehash(password_hash)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)

    def _matches(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, ValueError):
            return False

    async def _in_thread(self, work: Callable[..., T], *arguments: str) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


def _stand_back() -> None:
    """Whoever waits for a password waits long anyway; on a busy machine everybody else goes first."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
