"""Processes that work on passwords: one for each that is worked on at the same time, started when first needed."""

import asyncio
import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable
from typing import cast

import msgspec

from sitewright.kit.auth import argon2_process
from sitewright.kit.auth.argon2_process import REQUEST
from sitewright.kit.fair_queue import FairQueue, Tenant
from sitewright.kit.problems import Unavailable
from sitewright.settings import PREFIX

TRIES = 3
STDIN, STDOUT = 0, 1
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}  # a hash goes through 19 MiB, and is quicker so
_log = logging.getLogger("sitewright.passwords")


class Work(msgspec.Struct, eq=False):
    request: bytes
    answer: asyncio.Future[bytes]
    is_to_verify: bool
    tenant: Tenant = None
    tries: int = 0

    def may_be_tried_again(self) -> bool:
        """Else its caller is told."""
        self.tries += 1
        if self.tries == TRIES and not self.answer.done():
            self.answer.set_exception(Unavailable("Passwords cannot be worked on just now. Repeat the request."))
        return not self.answer.done()


class HashingProcess(asyncio.SubprocessProtocol):
    """Answers in the order in which it was asked."""

    def __init__(self, has_room: Callable[[], None], died: Callable[["HashingProcess"], None]) -> None:
        self.under_way: deque[Work] = deque()
        self.ended = asyncio.Event()
        self._has_room = has_room
        self._died = died
        self._received = b""
        self._transport: asyncio.SubprocessTransport | None = None
        self._starting = asyncio.create_task(self._start())

    @property
    def _requests(self) -> asyncio.WriteTransport:
        assert self._transport is not None  # noqa: S101 - nothing is asked of it before it is there
        return cast("asyncio.WriteTransport", self._transport.get_pipe_transport(STDIN))

    @property
    def is_there(self) -> bool:
        return self._transport is not None

    def take(self, work: Work) -> None:
        self.under_way.append(work)
        self._requests.write(work.request)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != STDOUT:
            return
        *answers, self._received = (self._received + data).split(b"\n")
        for answer in answers:
            work = self.under_way.popleft()
            if not work.answer.done():  # else nobody waits for it any more
                work.answer.set_result(answer)
        self._has_room()

    def process_exited(self) -> None:
        self.ended.set()
        self._died(self)

    async def end(self) -> None:
        """When nothing comes any more, it leaves by itself."""
        await self._starting
        if self._transport is not None:
            self._requests.close()
            await self.ended.wait()
            self._transport.close()

    async def _start(self) -> None:
        """In a session of its own, and without the settings: there are secrets among them."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        program = sys.executable, "-P", argon2_process.__file__
        try:
            await asyncio.get_running_loop().subprocess_exec(
                lambda: self, *program, stderr=None, start_new_session=True, env=LARGE_PAGES | inherited
            )
        except OSError as error:
            _log.error("a process for passwords does not start: %s", error)
            self.process_exited()
        else:
            self._has_room()


class WaitingWork:
    """Log-ins and new passwords take turns, and so do the brands that have new passwords hashed."""

    def __init__(self) -> None:
        self._interrupted: deque[Work] = deque()
        self._log_ins: deque[Work] = deque()
        self._hashes: FairQueue[Work] = FairQueue()
        self._was_to_verify = False

    def __bool__(self) -> bool:
        return bool(self._interrupted or self._log_ins or self._hashes)

    def hashes_of(self, tenant: Tenant) -> int:
        return self._hashes.count(tenant)

    def append(self, work: Work) -> None:
        if work.is_to_verify:
            self._log_ins.append(work)
        else:
            self._hashes.push(work.tenant, work)

    def put_back(self, works: Iterable[Work]) -> None:
        """In front of the others, in the same order."""
        self._interrupted.extendleft(reversed(list(works)))

    def popleft(self) -> Work:
        work = self._interrupted.popleft() if self._interrupted else self._next()
        self._was_to_verify = work.is_to_verify
        return work

    def discard_hash(self, work: Work) -> None:
        """For a caller that no longer waits: its password does not stay in memory."""
        self._hashes.discard(work.tenant, work)

    def keep(self, is_kept: Callable[[Work], bool]) -> None:
        for work in [self.popleft() for _ in iter(self.__bool__, False)]:
            if is_kept(work):
                self.append(work)

    def _next(self) -> Work:
        hash_is_next = self._was_to_verify or not self._log_ins
        served = self._hashes.pop(lambda _tenant: True) if hash_is_next else None
        return self._log_ins.popleft() if served is None else served[1]


class HashingProcesses:
    def __init__(self, at_once: int, hashing_wait_seconds: float, hashes_per_brand: int) -> None:
        """A hash that is not made within `hashing_wait_seconds` is given up; log-ins are bounded beforehand."""
        self._at_once = at_once
        self._hashes_per_brand = hashes_per_brand
        self._hashing_wait_seconds = hashing_wait_seconds
        self._processes: list[HashingProcess] = []
        self._waiting = WaitingWork()

    async def verify(self, password_hash: str, password: str) -> bytes:
        work = _work(is_to_verify=True, password_hash=password_hash, password=password)
        self._take(work)
        return await work.answer

    async def hash(self, password: str, tenant: Tenant) -> bytes:
        """Beyond its share of waiting hashes a brand is refused at once, so that memory stays bounded."""
        if self._waiting.hashes_of(tenant) >= self._hashes_per_brand:
            raise Unavailable("Too many passwords of this brand wait to be hashed. Repeat the request in a moment.")
        work = _work(is_to_verify=False, password_hash="", password=password, tenant=tenant)
        self._take(work)
        try:
            async with asyncio.timeout(self._hashing_wait_seconds):
                return await work.answer
        except TimeoutError:
            raise Unavailable("Too many passwords wait to be hashed. Repeat the request in a moment.") from None
        finally:
            self._waiting.discard_hash(work)

    async def close(self) -> None:
        ending, self._processes = self._processes, []
        for process in ending:
            await process.end()

    def _take(self, work: Work) -> None:
        self._waiting.append(work)
        self._hand_out()

    def _hand_out(self) -> None:
        """To whoever has least to do. When all are there, each has its next work lying ready: it waits for nobody."""
        there = [process for process in self._processes if process.is_there]
        places = 2 if len(there) == self._at_once else 1
        while self._waiting and there:
            least_busy = min(there, key=lambda process: len(process.under_way))
            if len(least_busy.under_way) >= places:
                break
            work = self._waiting.popleft()
            if not work.answer.done():
                least_busy.take(work)
        if self._waiting and len(self._processes) < self._at_once:
            self._processes.append(HashingProcess(self._hand_out, self._replace))

    def _replace(self, dead: HashingProcess) -> None:
        """What it had under way is begun anew by another, unless it is what kills them."""
        if dead not in self._processes:  # all are to end
            return
        self._processes.remove(dead)
        if dead.under_way:
            self._waiting.put_back(work for work in dead.under_way if work.may_be_tried_again())
        else:  # it died before it could be given any
            self._waiting.keep(Work.may_be_tried_again)
        self._hand_out()


def _work(*, is_to_verify: bool, password_hash: str, password: str, tenant: Tenant = None) -> Work:
    parts = [text.encode(errors="surrogatepass") for text in (password_hash, password)]  # any text, and no error
    request = b"".join((REQUEST.pack(is_to_verify, *map(len, parts)), *parts))
    return Work(request, asyncio.get_running_loop().create_future(), is_to_verify, tenant)
