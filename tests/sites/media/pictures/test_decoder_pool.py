"""Decoder processes are bounded in memory, time and number, and end with their parent."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
import pytest_asyncio

from sitewright.kit.problems import Unavailable
from sitewright.sites.media.pictures.decoder_pool import DecoderPool, LimitExceeded
from sitewright.sites.media.pictures.decoder_process import MEMORY_BYTES
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.pictures.tasks import Result, Task
from tests.support.eventually import eventually
from tests.support.hostile_pictures import png
from tests.support.pictures import picture

WAIT_SECONDS = 120
SMALL = picture(Format.PNG)
HOST = """
import asyncio, sys
from sitewright.sites.media.pictures.service import Pictures

async def main():
    pictures = Pictures(1, 0)
    data = sys.stdin.buffer.read()
    await pictures.preview(data, 1)
    print(pictures.pool.pids[0], flush=True)
    while True:
        await pictures.variants(data, 1, ["webp", "avif"])

asyncio.run(main())
"""


@cache
def large() -> bytes:
    """Seconds of work for all kinds of variants."""
    return picture(Format.JPEG, 2600, 2000)


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[DecoderPool]:
    own = DecoderPool(1, niceness=0)
    yield own
    await own.close()


def task(data: bytes, *, cpu_seconds: int = 60, wall_seconds: int = 120) -> Task:
    return Task("variants", len(data), "", True, cpu_seconds, wall_seconds, ["webp", "fallback", "avif"])


async def run(pool: DecoderPool, data: bytes, brand_ref: int = 1, **limits: int) -> Result:
    result, _ = await pool.run(task(data, **limits), data, brand_ref, WAIT_SECONDS)
    return result


def children_of(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def busy_child(pool: DecoderPool) -> int:
    child: int = await eventually(lambda: next((each for pid in pool.pids for each in children_of(pid)), None))
    return child


async def test_a_process_is_used_again(pool: DecoderPool) -> None:
    await run(pool, SMALL)
    [pid] = pool.pids
    assert (await run(pool, b"\xff\xd8\xff broken")).problem == "unreadable"
    await run(pool, SMALL)
    assert pool.pids == [pid]


async def test_decoders_run_at_low_priority() -> None:
    pool = DecoderPool(1, niceness=3)
    await run(pool, SMALL)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    [pid] = pool.pids
    assert os.getpriority(os.PRIO_PROCESS, pid) == own + 3
    assert os.getsid(pid) == os.getsid(0), "the niceness counts only within a session"
    assert os.getpgid(pid) == pid, "it is killed with its children"
    await pool.close()


async def test_a_picture_that_takes_too_much_cpu_time_is_refused(pool: DecoderPool) -> None:
    await run(pool, SMALL)
    [pid] = pool.pids
    with pytest.raises(LimitExceeded):
        await run(pool, large(), cpu_seconds=1)
    assert not is_running(pid)
    assert not (await run(pool, SMALL)).problem, "the process was not replaced"
    assert pool.pids != [pid]


async def test_a_picture_that_takes_too_long_is_refused(pool: DecoderPool) -> None:
    with pytest.raises(LimitExceeded):
        await run(pool, large(), wall_seconds=1)
    assert not (await run(pool, SMALL)).problem


async def test_the_limits_hold_for_the_process_that_decodes(pool: DecoderPool) -> None:
    work = asyncio.create_task(run(pool, large(), cpu_seconds=77))

    async def limits() -> dict[str, str] | None:
        """None while the child has not set them."""
        with suppress(OSError):
            lines = Path(f"/proc/{await busy_child(pool)}/limits").read_text().splitlines()
            found = {line[:26].strip(): line[26:].split()[1] for line in lines[1:]}
            return found if found["Max file size"] == "0" else None
        return None

    found = await eventually(limits)
    assert found["Max cpu time"] == "77"
    assert found["Max address space"] == str(MEMORY_BYTES)
    work.cancel()


async def test_a_killed_decoder_is_replaced(pool: DecoderPool) -> None:
    work = asyncio.create_task(run(pool, large()))
    child = await busy_child(pool)
    os.kill(child, signal.SIGKILL)
    with pytest.raises(LimitExceeded):
        await work
    assert not (await run(pool, SMALL)).problem


async def test_a_decoder_that_was_killed_while_idle_is_replaced(pool: DecoderPool) -> None:
    await run(pool, SMALL)
    [pid] = pool.pids
    os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):  # asyncio's thread has collected it
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222 - the event loop must not learn of it
    assert not (await run(pool, SMALL)).problem


async def test_a_cancelled_request_ends_its_process(pool: DecoderPool) -> None:
    work = asyncio.create_task(run(pool, large()))
    child = await busy_child(pool)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await eventually(lambda: not is_running(child))
    assert pool.pids == []


async def test_memory_is_bounded_for_the_largest_pictures(pool: DecoderPool) -> None:
    """49 megapixels, in a file of 150 KB."""
    data = png(7_000, 7_000, pixels=bytes(7_000 * 21_001))
    result, _ = await pool.run(Task("preview", len(data), "", True, 60, 120), data, 1, WAIT_SECONDS)
    assert not result.problem
    assert 100_000 < pool.peak_kib < MEMORY_BYTES // 1024


async def test_brands_share_the_processes_fairly(pool: DecoderPool) -> None:
    finished: list[int] = []

    async def decode(brand_ref: int) -> None:
        await run(pool, SMALL, brand_ref)
        finished.append(brand_ref)

    greedy = [asyncio.create_task(decode(1)) for _ in range(8)]
    await asyncio.sleep(0)
    await asyncio.gather(decode(2), *greedy)
    assert finished.index(2) <= 2


async def test_a_full_pool_is_unavailable(pool: DecoderPool) -> None:
    work = asyncio.create_task(run(pool, large()))
    await busy_child(pool)
    with pytest.raises(Unavailable):
        await pool.run(task(SMALL), SMALL, 2, 0.05)
    work.cancel()


async def test_no_process_outlives_its_parent() -> None:
    host = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOST, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert host.stdin is not None
    assert host.stdout is not None
    host.stdin.write(large())
    host.stdin.write_eof()
    decoder = int(await host.stdout.readline())
    [child] = await eventually(lambda: children_of(decoder))
    host.kill()
    await host.wait()
    await eventually(lambda: not is_running(decoder) and not is_running(child))
