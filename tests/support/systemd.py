"""A small substitute for systemd: it opens the sockets of units, passes them with credentials, and waits for READY=1.

It knows what the units of this project use, and nothing about users, sandboxes and dependencies.
"""

import asyncio
import os
import signal
import socket
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS

PASSED_ON = ("PATH", "LANG", "LC_ALL", "HOME")
STARTER = """
import fcntl, os, sys
count = int(sys.argv[1])
moved = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 100) for each in sys.argv[2 : 2 + count]]
for number, descriptor in enumerate(moved):
    os.dup2(descriptor, 3 + number)
os.closerange(3 + count, 100 + count)
if count:
    os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.argv[2 + count], sys.argv[2 + count :])
"""
"""Passes the sockets from descriptor 3 on, and becomes the service."""


class Unit:
    """A unit file: every value of each key, in order."""

    def __init__(self, file: Path) -> None:
        self.name = file.name
        self._values: dict[str, list[str]] = defaultdict(list)
        for line in file.read_text().splitlines():
            key, equals, value = line.partition("=")
            if equals and not line.startswith("#"):
                self._values[key].append(value)

    def all(self, key: str) -> list[str]:
        return self._values[key]

    def one(self, key: str) -> str:
        assert len(self._values[key]) == 1, (self.name, key, self._values[key])
        return self._values[key][0]


class ServiceUnit:
    """A service under the substitute. Its sockets stay open while it restarts."""

    def __init__(self, folder: Path, name: str, runtime: Path, **environment: str) -> None:
        self.unit = Unit(folder / name)
        sockets = " ".join(self.unit.all("Sockets")).split()
        self._listeners = {
            each.one("FileDescriptorName"): _listen(each) for each in (Unit(folder / name) for name in sockets)
        }
        self._runtime = runtime
        self._environment = environment
        self.notified: list[str] = []
        self.log = runtime / f"{name}.log"
        self.process: asyncio.subprocess.Process | None = None

    def port(self, name: str) -> int:
        port: int = self._listeners[name].getsockname()[1]
        return port

    @property
    def main_pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    async def start(self, *, watchdog_seconds: float | None = None) -> None:
        """Returns when the service has reported that it is ready, as `systemctl start` does."""
        self.notified.clear()
        self._status = self._open_status_socket()
        limit = float(self.unit.one("WatchdogSec")) if watchdog_seconds is None else watchdog_seconds
        environment = self._base_environment() | {
            "NOTIFY_SOCKET": str(self._status.getsockname()),
            "WATCHDOG_USEC": str(int(limit * 1_000_000)),
            "CREDENTIALS_DIRECTORY": str(self._load_credentials()),
        }
        if self._listeners:
            environment |= {"LISTEN_FDS": str(len(self._listeners)), "LISTEN_FDNAMES": ":".join(self._listeners)}
        descriptors = [each.fileno() for each in self._listeners.values()]
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                STARTER,
                str(len(descriptors)),
                *map(str, descriptors),
                *self.unit.one("ExecStart").split(),
                env=environment | self._environment,
                cwd=self.unit.one("WorkingDirectory"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=descriptors,
            )
        await eventually(lambda: self.has_reported("READY=1"))

    async def stop(self) -> int:
        """SIGTERM to the main process, as KillMode=mixed does."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        code = await asyncio.wait_for(self.process.wait(), HANG_SECONDS)
        self._receive()
        self._status.close()
        return code

    def has_reported(self, state: str) -> bool:
        assert self.process is not None
        assert self.process.returncode is None, self.log.read_text()[-3000:]
        self._receive()
        return state in self.notified

    def close(self) -> None:
        for listener in self._listeners.values():
            listener.close()

    def _receive(self) -> None:
        with suppress(BlockingIOError):
            while True:
                self.notified += self._status.recv(4096).decode().split("\n")

    def _open_status_socket(self) -> socket.socket:
        path = self._runtime / "notify"
        path.unlink(missing_ok=True)
        status = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        status.bind(str(path))
        status.setblocking(False)
        return status

    def _base_environment(self) -> dict[str, str]:
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return passed | dict(each.split("=", 1) for each in self.unit.all("Environment"))

    def _load_credentials(self) -> Path:
        folder = self._runtime / "credentials"
        folder.mkdir(mode=0o700, exist_ok=True)
        for each in self.unit.all("LoadCredential"):
            name, _, source = each.partition(":")
            (folder / name).write_bytes(Path(source).read_bytes())
        return folder


def _listen(unit: Unit) -> socket.socket:
    host, _, port = unit.one("ListenStream").rpartition(":")
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, int(port)))
    listener.listen(int(unit.one("Backlog")))
    return listener


@asynccontextmanager
async def running_units(units: Sequence[ServiceUnit]) -> AsyncIterator[None]:
    """Start them, and stop all of them at the end, also after a failure."""
    try:
        for each in units:
            await each.start()
        yield
    finally:
        for each in units:
            if each.process is not None and each.process.returncode is None:
                await each.stop()
            each.close()
