"""Argon2id in a thread pool, with bounded, fair queues before it.

Argon2 releases the interpreter lock, so threads use all CPUs they may. What waits is the caller and not the work: a
caller that gives up leaves no password behind. Log-ins are bounded beforehand (`login_queue`).
"""

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, ParamSpec, TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerificationError

from sitewright.kit.fair_queue import FairQueue, Tenant
from sitewright.kit.problems import Unavailable

HASHER = PasswordHasher(memory_cost=19 * 1024, time_cost=2, parallelism=1, type=Type.ID)
NICENESS = 10
"""Of the threads: who waits for a password waits long anyway, and other requests shall not wait for it."""

Kind = Literal["log-in", "new password"]
P = ParamSpec("P")
T = TypeVar("T")


class Turns:
    """The order in which callers get a thread: log-ins and new passwords alternate, and so do brands in each."""

    def __init__(self) -> None:
        self._queues: dict[Kind, FairQueue[asyncio.Future[None]]] = {"log-in": FairQueue(), "new password": FairQueue()}

    def count(self, kind: Kind, tenant: Tenant) -> int:
        return self._queues[kind].count(tenant)

    def push(self, kind: Kind, tenant: Tenant, caller: asyncio.Future[None]) -> None:
        self._queues[kind].push(tenant, caller)

    def discard(self, kind: Kind, tenant: Tenant, caller: asyncio.Future[None]) -> None:
        self._queues[kind].discard(tenant, caller)

    def pop(self) -> asyncio.Future[None] | None:
        for kind, queue in self._queues.items():
            if (served := queue.pop(lambda _tenant: True)) is not None:
                self._queues[kind] = self._queues.pop(kind)  # to the end: it is the other kind's turn
                return served[1]
        return None


class HashingThreads:
    """A caller waits until a thread is free for it, so that nothing waits in the executor's own unbounded queue."""

    def __init__(self, threads: int, hashing_wait_seconds: float, hashes_per_brand: int) -> None:
        self._executor = ThreadPoolExecutor(threads, "argon2", initializer=_lower_priority)
        self._free = threads
        self._turns = Turns()
        self._hashing_wait_seconds = hashing_wait_seconds
        self._hashes_per_brand = hashes_per_brand

    async def verify(self, password_hash: str, password: str) -> bool:
        return await self._run("log-in", None, _verify, password_hash, password)

    async def hash(self, password: str, tenant: Tenant) -> str:
        """Raises `Unavailable` after the time limit, or at once if too many new passwords of the brand wait."""
        if self._turns.count("new password", tenant) >= self._hashes_per_brand:
            raise Unavailable("Too many passwords of this brand wait to be hashed. Repeat the request in a moment.")
        try:
            async with asyncio.timeout(self._hashing_wait_seconds):
                return await self._run("new password", tenant, HASHER.hash, _encoded(password))
        except TimeoutError:
            raise Unavailable("Too many passwords wait to be hashed. Repeat the request in a moment.") from None

    async def close(self) -> None:
        """What is being hashed is finished first."""
        await asyncio.to_thread(self._executor.shutdown)

    async def _run(self, kind: Kind, tenant: Tenant, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        await self._take_thread(kind, tenant)
        loop = asyncio.get_running_loop()
        running = self._executor.submit(work, *args, **kwargs)
        # The thread is busy until the work ends, even if the caller no longer waits for it.
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(self._release_thread))
        return await asyncio.wrap_future(running)

    async def _take_thread(self, kind: Kind, tenant: Tenant) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._turns.push(kind, tenant, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the turn came at the same moment
                self._release_thread()
            self._turns.discard(kind, tenant, turn)
            raise

    def _release_thread(self) -> None:
        while (turn := self._turns.pop()) is not None:
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


def _lower_priority() -> None:
    """On Linux niceness belongs to a thread; elsewhere it would lower the priority of the whole process."""
    if sys.platform == "linux":
        os.nice(NICENESS)


def _verify(password_hash: str, password: str) -> bool:
    try:
        return HASHER.verify(_encoded(password_hash), _encoded(password))
    except (VerificationError, ValueError):
        return False


def _encoded(text: str) -> bytes:
    """Any text may be a password, even one that is not valid Unicode."""
    return text.encode(errors="surrogatepass")
