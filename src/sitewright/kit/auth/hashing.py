"""Argon2id in the standard library's executors, with bounded, fair queues before them.

What waits is the caller and not the work: a caller that gives up leaves no password behind. Log-ins are bounded
beforehand (`login_queue`).
"""

import asyncio
import logging
import os
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Literal, ParamSpec, TypeVar

from argon2 import PasswordHasher

from sitewright.kit.auth.argon2id import hash_password, start_process, verify_password
from sitewright.kit.fair_queue import Tenant, Waiters
from sitewright.kit.problems import Unavailable

ATTEMPTS = 3
QUEUED = 1
"""Passwords that wait in the executor, so that a process that is done has its next one without delay."""

TUNABLES = "GLIBC_TUNABLES"
HUGE_PAGES = "glibc.malloc.hugetlb=1"
"""Argon2 reads 19 MiB in random order: huge pages make it 5 % faster. The C library reads it when a process starts."""

Kind = Literal["log-in", "new password"]
P = ParamSpec("P")
T = TypeVar("T")
_log = logging.getLogger("sitewright.passwords")


NewExecutor = Callable[[int], Executor]


def thread_pool(threads: int) -> Executor:
    """For processes that answer no requests: argon2 releases the interpreter lock."""
    return ThreadPoolExecutor(threads, "argon2")


def process_pool(processes: int) -> Executor:
    """For API processes: a thread of low priority that holds the interpreter lock would delay every request (0056).

    Spawned and not forked, because a forked process would hold the service's sockets; started when first needed.
    """
    return ProcessPoolExecutor(processes, _HashingContext(), initializer=start_process)


class _HashingProcess(SpawnProcess):
    def start(self) -> None:
        """A process takes over the environment of its parent. What the operator set there takes precedence."""
        if TUNABLES in os.environ:
            super().start()
            return
        os.environ[TUNABLES] = HUGE_PAGES
        try:
            super().start()
        finally:
            del os.environ[TUNABLES]


class _HashingContext(SpawnContext):
    Process = _HashingProcess


class Turns:
    """The order in which callers get a place: log-ins and new passwords alternate, and so do brands in each."""

    def __init__(self) -> None:
        self._waiters: dict[Kind, Waiters[None]] = {"log-in": Waiters(), "new password": Waiters()}

    def count(self, kind: Kind, tenant: Tenant) -> int:
        return self._waiters[kind].count(tenant)

    async def wait(self, kind: Kind, tenant: Tenant, give_back: Callable[[], None]) -> None:
        await self._waiters[kind].wait(tenant, None, lambda _: give_back())

    def hand_over(self) -> bool:
        """Hand a free place to the next caller. Returns False if nobody waits."""
        for kind, waiters in self._waiters.items():
            if waiters.hand_over(None, lambda _: True, lambda _: None):
                self._waiters[kind] = self._waiters.pop(kind)  # to the end: it is the other kind's turn
                return True
        return False


class HashingPool:
    """A caller waits until the pool has a place for it, so that the executor's own unbounded queue stays short."""

    def __init__(
        self, new_executor: NewExecutor, at_once: int, hashing_wait_seconds: float, hashes_per_brand: int
    ) -> None:
        self._new_executor = partial(new_executor, at_once)
        self._executor: Executor | None = None  # started when first needed: an idle process saves its memory
        self._free = at_once + QUEUED
        self._turns = Turns()
        self._hashing_wait_seconds = hashing_wait_seconds
        self._hashes_per_brand = hashes_per_brand

    async def verify(self, password_hash: str, password: str) -> bool:
        return await self._run("log-in", None, verify_password, _encoded(password_hash), _encoded(password))

    async def hash(self, hasher: PasswordHasher, password: str, tenant: Tenant) -> str:
        """Raises `Unavailable` after the time limit, or at once if too many new passwords of the brand wait."""
        if self._turns.count("new password", tenant) >= self._hashes_per_brand:
            raise Unavailable("Too many passwords of this brand wait to be hashed. Repeat the request in a moment.")
        try:
            async with asyncio.timeout(self._hashing_wait_seconds):
                return await self._run("new password", tenant, hash_password, hasher, _encoded(password))
        except TimeoutError:
            raise Unavailable("Too many passwords wait to be hashed. Repeat the request in a moment.") from None

    async def close(self) -> None:
        """What is being hashed is finished first."""
        if self._executor is not None:
            await asyncio.to_thread(self._executor.shutdown)

    async def _run(self, kind: Kind, tenant: Tenant, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Retry when a process died, for example for lack of memory: the executor then fails all that it was given."""
        for _ in range(ATTEMPTS):
            await self._take_place(kind, tenant)
            executor = self._executor = self._executor or self._new_executor()
            try:
                return await self._submit(executor, work, *args, **kwargs)
            except (BrokenProcessPool, OSError) as error:  # it died, or cannot be started
                self._drop(executor, error)
        raise Unavailable("Passwords cannot be processed at the moment. Repeat the request later.")

    async def _submit(self, executor: Executor, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        try:
            running = executor.submit(work, *args, **kwargs)
        except BaseException:
            self._release_place()
            raise
        # The place is taken until the work ends, even if the caller no longer waits for it.
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(self._release_place))
        return await asyncio.wrap_future(running)

    def _drop(self, broken: Executor, error: Exception) -> None:
        if broken is self._executor:  # else another caller has dropped it
            _log.error("the pool that hashes passwords failed and is replaced: %s", error)
            self._executor = None
            broken.shutdown(wait=False)

    async def _take_place(self, kind: Kind, tenant: Tenant) -> None:
        if self._free:
            self._free -= 1
        else:
            await self._turns.wait(kind, tenant, self._release_place)

    def _release_place(self) -> None:
        if not self._turns.hand_over():
            self._free += 1


def _encoded(text: str) -> bytes:
    """Any text may be a password, even one that is not valid Unicode."""
    return text.encode(errors="surrogatepass")
