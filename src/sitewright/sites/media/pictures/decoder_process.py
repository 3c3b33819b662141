"""A decoder process: waits for pictures, and forks a child with resource limits for each of them.

The forked child alone reads, decodes and encodes the picture, so that nothing of a hostile picture reaches the next
one. The modules are imported before, so a fork costs milliseconds. Whatever kills the child ends this process, too:
bytes of the picture may be left in the pipe. The pool then starts another.
"""

import gc
import os
import resource
import select
import signal
import sys
from pathlib import Path
from typing import BinaryIO, NoReturn

import msgspec

from sitewright.kit.parent_death import end_with_parent
from sitewright.sites.media.pictures.decoding import configure
from sitewright.sites.media.pictures.limits import MAX_SOURCE_BYTES
from sitewright.sites.media.pictures.performing import perform
from sitewright.sites.media.pictures.tasks import LENGTH_BYTES, Task, framed

MEMORY_BYTES = 1280 * 1024 * 1024
"""Address space of a child; decoding the largest pictures takes two thirds of it (decision 0076)."""
READING_SECONDS = 60
CLOSED = 3
"""Exit status of a child that found the pool's end of the pipe closed."""


def main() -> None:
    end_with_parent(int(sys.argv[1]), signal.SIGKILL)
    configure()
    gc.collect()
    gc.freeze()  # objects from before the fork stay shared
    while True:
        select.select([sys.stdin], [], [])
        status = _fork_and_wait()
        if status != 0:
            sys.exit(0 if status == CLOSED else 1)


def _fork_and_wait() -> int:
    process = os.getpid()
    child = os.fork()
    if child == 0:
        _run_child(process)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _run_child(parent: int) -> NoReturn:
    code = 1
    try:
        end_with_parent(parent, signal.SIGKILL)
        signal.alarm(READING_SECONDS)  # its default action ends the process
        code = _handle(sys.stdin.buffer, sys.stdout.buffer)
    finally:
        os._exit(code)


def _handle(requests: BinaryIO, responses: BinaryIO) -> int:
    length = requests.read(LENGTH_BYTES)
    if not length:
        return CLOSED
    task = msgspec.msgpack.decode(requests.read(int.from_bytes(length)), type=Task)
    _limit(task)
    data = _read_file(task.path) if task.path else requests.read(task.source_bytes)
    result, contents = perform(task, data)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    responses.write(framed(msgspec.structs.replace(result, peak_kib=peak_kib)))
    responses.writelines(contents)
    responses.flush()
    return 0


def _read_file(path: str) -> bytes:
    """One byte more than the limit shows that it is exceeded."""
    with Path(path).open("rb") as file:
        return file.read(MAX_SOURCE_BYTES + 1)


def _limit(task: Task) -> None:
    signal.alarm(task.wall_seconds)
    for kind, limit in (
        (resource.RLIMIT_CPU, task.cpu_seconds),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))
