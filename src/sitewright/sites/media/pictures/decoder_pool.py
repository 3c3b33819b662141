"""The decoder pool: a few processes, shared fairly by brands; one that exceeds a limit is killed and replaced."""

import asyncio
import logging
import os
import signal
import sys
from contextlib import suppress

import msgspec

from sitewright.kit.fair_slots import FairSlots
from sitewright.kit.problems import Unavailable
from sitewright.sites.media.errors import MediaTooLarge
from sitewright.sites.media.pictures.limits import MAX_VARIANT_BYTES
from sitewright.sites.media.pictures.tasks import LENGTH_BYTES, MAX_RESULT_BYTES, Result, Task, framed

KILL_AFTER_SECONDS = 10
"""How much longer than its own limit a task may take; then the process group is killed."""
READ_BUFFER_BYTES = 1024 * 1024
_COMMAND = (sys.executable, "-I", "-m", "sitewright.sites.media.pictures.decoder_launch")
_log = logging.getLogger("sitewright.media")


class LimitExceeded(MediaTooLarge):
    detail = "The picture takes too long or too much memory to decode. Save it smaller, or in another format."


class DecoderPool:
    """At most `processes` pictures are decoded at once. Processes start on first use and wait for the next picture."""

    def __init__(self, processes: int, niceness: int) -> None:
        self._slots = FairSlots(processes)
        self._niceness = niceness
        self._idle: list[asyncio.subprocess.Process] = []
        self._running: set[asyncio.subprocess.Process] = set()
        self.peak_kib = 0
        """The most memory that a picture took; one that exceeded a limit is not counted."""

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in (*self._idle, *self._running)]

    async def run(self, task: Task, source: bytes, brand_ref: int, wait_seconds: float) -> tuple[Result, list[bytes]]:
        """The result and the bytes of its variants. Raises `Unavailable` if no process is free in time."""
        async with self._slots.slot(brand_ref, wait_seconds):
            process = await self._take()
            try:
                async with asyncio.timeout(task.wall_seconds + KILL_AFTER_SECONDS):
                    exchanged = await _exchange(process, task, source)
            except (EOFError, ConnectionError, TimeoutError) as error:
                _log.warning("a picture exceeded the limits of its decoder: %s", type(error).__name__)
                raise LimitExceeded from None
            else:
                self._running.discard(process)
                self._idle.append(process)
                self.peak_kib = max(self.peak_kib, exchanged[0].peak_kib)
                return exchanged
            finally:
                if process in self._running:
                    await self._kill(process)

    async def close(self) -> None:
        for process in (*self._idle, *self._running):
            await self._kill(process)
        self._idle.clear()

    async def _take(self) -> asyncio.subprocess.Process:
        process = None
        while self._idle and process is None:
            idle = self._idle.pop()
            process = None if has_ended(idle.pid) else idle
        process = process or await self._start()
        self._running.add(process)
        return process

    async def _start(self) -> asyncio.subprocess.Process:
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
        try:
            return await asyncio.create_subprocess_exec(
                *_COMMAND,
                str(os.getpid()),
                str(self._niceness),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=environment,
                limit=READ_BUFFER_BYTES,
            )
        except OSError as error:
            _log.warning("no decoder process could be started: %s", error)
            raise Unavailable("Pictures cannot be decoded just now. Repeat the request later.") from None

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        with suppress(ProcessLookupError):  # it has not made its process group yet, or has ended
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()
        self._running.discard(process)


def has_ended(pid: int) -> bool:
    """Ask the kernel, because the event loop learns later of the end of a child."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # the event loop has collected it
        return True


async def _exchange(process: asyncio.subprocess.Process, task: Task, source: bytes) -> tuple[Result, list[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise ConnectionError
    process.stdin.write(framed(task))
    process.stdin.write(source)
    await process.stdin.drain()
    length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES))
    if length > MAX_RESULT_BYTES:
        raise ConnectionError
    try:
        result = msgspec.msgpack.decode(await process.stdout.readexactly(length), type=Result)
    except msgspec.MsgspecError:
        raise ConnectionError from None
    if any(not 0 <= each.bytes <= MAX_VARIANT_BYTES for each in result.variants):
        raise ConnectionError
    return result, [await process.stdout.readexactly(each.bytes) for each in result.variants]
