"""How the supervisor runs, replaces and ends its parts: real processes, with scripts of their own."""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path

import pytest

from sitewright.kit import full_memory
from tests.support.service import children_of
from tests.support.timeouts import HANG_SECONDS

SCRIPT = """
import os, signal, sys, time
from sitewright.kit.supervisor import Part, Supervisor

def part(name, drain_seconds, **options):
    def run(_pulse):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        os.write(1, f"{name} runs\\n".encode())
        signal.sigwait({signal.SIGTERM})
        time.sleep(drain_seconds)
        os.write(1, f"{name} ended\\n".encode())
    return Part(name, run, **options)

drain_seconds = float(sys.argv[1])
Supervisor([part("network", 0, ends_last=True), part("worker", drain_seconds)], drain_seconds=20).run()
os.write(1, b"all ended\\n")
"""

RELOAD_SCRIPT = """
import os, signal
from sitewright.kit import supervisor
from sitewright.kit.supervisor import Part, Supervisor

supervisor.SETTLE_SECONDS = 0.3

class Settings:
    current = former = "former"
    def load(self):
        self.former, self.current = self.current, "new"
        return True
    def revert(self):
        self.current = self.former

settings = Settings()

def part(name, fails_with):
    def run(_pulse):
        os.write(1, f"{name} {settings.current}\\n".encode())
        if settings.current != fails_with:
            signal.pause()
    return Part(name, run)

Supervisor([part("api", ""), part("worker", "new")], drain_seconds=20, reload=settings).run()
"""


async def test_settings_that_one_part_does_not_run_with_are_taken_back_from_all() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", RELOAD_SCRIPT, stdout=PIPE)
    assert process.stdout is not None
    lines = [await process.stdout.readline() for _ in range(2)]
    process.send_signal(signal.SIGHUP)
    lines += [await process.stdout.readline() for _ in range(3)]
    assert lines[2:] == [b"api new\n", b"worker new\n", b"api former\n"]
    process.send_signal(signal.SIGTERM)
    output, _ = await process.communicate()
    assert output == b""


SERVER_SCRIPT = """
import os, signal, sys, time
from sitewright.kit.parent_death import end_with_parent
from sitewright.kit.supervisor import Supervisor
from sitewright.kit.systemd import ServiceManager

class Server:
    pid = None
    def restart_after_death(self, on_wait):
        self.pid = None
        os.write(1, b"recovers\\n")
        while not os.path.exists(sys.argv[2]):
            on_wait()
            time.sleep(0.01)
        os.write(1, b"runs\\n")
    def stop(self):
        pass

parent, server = os.getpid(), Server()
server.pid = os.fork()
if server.pid == 0:
    end_with_parent(parent, signal.SIGKILL)
    signal.pause()
os.write(1, f"{server.pid}\\n".encode())
manager = ServiceManager(notify_address=sys.argv[1], watchdog_seconds=0.5)
Supervisor([], server=server, drain_seconds=20, manager=manager).run()
"""


async def test_the_manager_is_notified_while_the_database_server_recovers(tmp_path: Path) -> None:
    """Its watchdog would end everything otherwise, and the recovery would begin again."""
    recovered = tmp_path / "recovered"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as status:
        status.bind(str(tmp_path / "status"))
        status.setblocking(False)
        arguments = ("-c", SERVER_SCRIPT, str(tmp_path / "status"), str(recovered))
        process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=PIPE)
        assert process.stdout is not None
        server_pid = int(await process.stdout.readline())
        await received(status, "READY=1")
        os.kill(server_pid, signal.SIGKILL)
        assert await process.stdout.readline() == b"recovers\n"
        with suppress(BlockingIOError):
            while True:  # what was sent before
                status.recv(4096)
        for _ in range(3):
            await received(status, "WATCHDOG=1")
        recovered.touch()
        assert await process.stdout.readline() == b"runs\n"
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


async def received(status: socket.socket, expected: str) -> None:
    async with asyncio.timeout(HANG_SECONDS):
        message = await asyncio.get_running_loop().sock_recv(status, 4096)
    assert message.decode() == expected


async def _started(drain_seconds: float) -> Process:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", SCRIPT, str(drain_seconds), stdout=PIPE)
    assert process.stdout is not None
    assert {await process.stdout.readline() for _ in range(2)} == {b"network runs\n", b"worker runs\n"}
    return process


async def test_a_part_that_others_need_ends_after_them() -> None:
    process = await _started(0.5)
    process.send_signal(signal.SIGTERM)
    output, _ = await process.communicate()
    assert output.split(b"\n") == [b"worker ended", b"network ended", b"all ended", b""]


async def test_a_second_signal_ends_all_at_once() -> None:
    process = await _started(600)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    output, _ = await process.communicate()
    assert output == b"all ended\n"


async def test_the_kernel_kills_parts_before_the_supervisor_that_starts_them_again() -> None:
    process = await _started(0)
    own, *parts = [oom_score_of(pid) for pid in (process.pid, *children_of(process.pid))]
    assert parts == [own + 100, own + 100]
    process.send_signal(signal.SIGTERM)
    await process.communicate()


def test_a_part_starts_where_its_score_cannot_be_raised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(full_memory, "_SCORE_FILE", tmp_path)  # a folder, which can neither be read nor written so
    before = oom_score_of(os.getpid())
    full_memory.be_killed_first()
    assert oom_score_of(os.getpid()) == before


def oom_score_of(pid: int) -> int:
    return int((Path("/proc") / str(pid) / "oom_score_adj").read_text())
