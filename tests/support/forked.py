"""Starts `sitewright` commands by forking the fork server, which has imported the whole service.

Importing it takes more than a second of a core, and the tests start hundreds of commands. What a command does, its
environment, its output, its children and its end are those of `python -m sitewright`; only its command line in the list
of processes is that of the fork server.
"""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]


class ForkedProcess:
    """As `asyncio.subprocess.Process`, for a child of the fork server."""

    def __init__(self, pid: int, ended: asyncio.StreamReader, stdout: asyncio.StreamReader | None) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = stdout
        self._waiting = asyncio.create_task(self._wait(ended))

    async def _wait(self, ended: asyncio.StreamReader) -> int:
        self.returncode = int(await ended.readline())
        return self.returncode

    async def wait(self) -> int:
        return await asyncio.shield(self._waiting)

    async def communicate(self) -> tuple[bytes, None]:
        output = b"" if self.stdout is None else await self.stdout.read()
        await self.wait()
        return output, None

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


_connection: socket.socket | None = None


async def fork_command(
    *arguments: str,
    env: Mapping[str, str],
    output: IO[bytes] | int = subprocess.DEVNULL,
    module: str = "sitewright",
    new_session: bool = False,
) -> ForkedProcess:
    """Run `python -m MODULE ARGUMENTS`. With `output=subprocess.PIPE`, its output is read from `stdout`."""
    ended, ended_at_server = os.pipe()
    piped, target = os.pipe() if output == subprocess.PIPE else (None, _opened(output))
    request = {"module": module, "arguments": arguments, "env": dict(env), "new_session": new_session}
    await asyncio.to_thread(socket.send_fds, _server(), [json.dumps(request).encode()], [ended_at_server, target])
    os.close(ended_at_server)
    os.close(target)
    ended_reader = await _reader(ended)
    stdout = None if piped is None else await _reader(piped)
    return ForkedProcess(int(await ended_reader.readline()), ended_reader, stdout)


def _opened(output: IO[bytes] | int) -> int:
    if isinstance(output, int):
        return os.open(os.devnull, os.O_WRONLY)
    return os.dup(output.fileno())


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb", buffering=0))
    return reader


def _server() -> socket.socket:
    """Each test process has its own, which ends with it."""
    global _connection
    if _connection is None:
        _connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("SITEWRIGHT_")}
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.fork_server", str(theirs.fileno())],
            cwd=ROOT,
            env=plain | {"COLUMNS": "200"},  # as the commands have it: read when the console is imported
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        atexit.register(_connection.close)
    return _connection
