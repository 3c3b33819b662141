"""The real `sitewright` command in separate processes."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, BinaryIO

import asyncpg
import httpx

from sitewright.kit.embedded import EmbeddedPostgres
from tests.support import contract
from tests.support.data_folders import make_or_copy
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.forked import ForkedProcess, fork_command
from tests.support.http_clients import http_client
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

COMMAND = [sys.executable, "-m", "sitewright"]
PATIENT: dict[str, Any] = {"database_wait_seconds": 60, "hashing_wait_seconds": 120, "drain_seconds": 120}
"""Time limits of the service that a slow machine does not meet; a test of such a limit sets its own."""
PROCESSES = share(1, 2)
"""Of the API and of the edge server, where a test does not choose."""
TWO_OF_EACH: dict[str, Any] = {"workers": 2, "edge_processes": 2}
"""Where one is killed, the other one goes on; and what one process would do in turn, two do at the same time."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(data_dir: Path, **settings: object) -> dict[str, str]:
    """The environment of an isolated service, without the caller's settings."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("SITEWRIGHT_")}
    processes = {"workers": PROCESSES, "edge_processes": PROCESSES}
    plainly = {"data_dir": data_dir, "site_tls_port": free_port(), "demo_history": 0}
    chosen = PATIENT | processes | plainly | settings
    return plain | {f"SITEWRIGHT_{name.upper()}": str(value) for name, value in chosen.items()}


class Service:
    """A running `sitewright serve --demo`."""

    options: tuple[str, ...] = ("--demo",)

    def __init__(self, data_dir: Path, **settings: object) -> None:
        self.data_dir = data_dir
        ports = {name: free_port() for name in ("api_port", "site_port", "site_tls_port")}
        self.settings: dict[str, object] = ports | settings
        self.log = data_dir.parent / f"{data_dir.name}.log"

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = await self.launch(log, environment(self.data_dir, **self.settings))
        await eventually(self.is_ready)

    async def launch(self, log: BinaryIO, variables: dict[str, str]) -> ForkedProcess | asyncio.subprocess.Process:
        return await fork_command("serve", *self.options, env=variables, output=log)

    async def is_ready(self) -> bool:
        assert self.process.returncode is None, self.log.read_text()[-2000:]
        try:
            async with http_client() as client:
                return (await client.get(f"{self.api_url}/health/ready")).status_code == 200
        except httpx.HTTPError:
            return False

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.settings['api_port']}"

    @property
    def site_url(self) -> str:
        return f"http://127.0.0.1:{self.settings['site_port']}"

    @property
    def site_tls_url(self) -> str:
        return f"https://127.0.0.1:{self.settings['site_tls_port']}"

    @property
    def demo(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.data_dir / "demo.json").read_text())
        return document

    def client(self, brand: int = 0) -> httpx.AsyncClient:
        basic = self.demo["brands"][brand]["basic"]
        auth = (basic["username"], basic["password"])
        return http_client(self.api_url, auth=auth, event_hooks={"response": [self._check_response]})

    async def _check_response(self, response: httpx.Response) -> None:
        """The OpenAPI document covers the API only; the same client may also request pages of the edge server."""
        if str(response.url).startswith(self.api_url):
            await contract.check_response(response)

    def children(self) -> dict[int, str]:
        return children_of(self.process.pid)

    def events(self) -> list[dict[str, Any]]:
        """What the supervisor logged."""
        lines = [line for line in self.log.read_text().splitlines() if '"sitewright.supervisor"' in line]
        return [json.loads(line) for line in lines if line.startswith("{")]

    def pids(self, part: str) -> list[int]:
        return [event["pid"] for event in self.events() if (event["message"], event.get("part")) == ("started", part)]

    async def stop(self) -> int:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), HANG_SECONDS)


def children_of(pid: int) -> dict[int, str]:
    """The direct children of a process, by pid, with the first word of their command line."""
    found = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid:
                found[int(folder.name)] = (folder / "cmdline").read_text().split("\0")[0]
    return found


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextlib.asynccontextmanager
async def running_service(data_dir: Path, **settings: object) -> AsyncIterator[Service]:
    """A new data folder is a copy of one that has the demo data."""
    if not data_dir.exists() and "database_url" not in settings:
        await make_demo(data_dir)
    async with started_service(data_dir, **settings) as service:
        yield service


@contextlib.asynccontextmanager
async def started_service(data_dir: Path, **settings: object) -> AsyncIterator[Service]:
    """The same on the folder as it is, for tests of a first start."""
    async with started(Service(data_dir, **settings)) as service:
        yield service


@contextlib.asynccontextmanager
async def started(service: Service) -> AsyncIterator[Service]:
    try:
        await service.start()
        yield service
    finally:
        with contextlib.suppress(ProcessLookupError):
            await service.stop()


async def make_demo(data_dir: Path) -> None:
    """A data folder as the first `sitewright serve --demo` leaves it."""
    await make_or_copy("demo", data_dir, _start_once)


async def _start_once(data_dir: Path) -> None:
    async with started_service(data_dir):
        pass


async def make_migrated(data_dir: Path) -> None:
    """A data folder as `sitewright migrate` leaves it."""
    await make_or_copy("migrated", data_dir, _migrate)


async def _migrate(data_dir: Path) -> None:
    code, output = await run_command(data_dir, "migrate")
    assert code == 0, output


@contextlib.asynccontextmanager
async def owner_of(service: Service) -> AsyncIterator[OwnerConnection]:
    """Rows of its own database, of every brand."""
    database = EmbeddedPostgres.running(service.data_dir)
    assert database is not None
    connection = await asyncpg.connect(database.url)
    try:
        yield connection
    finally:
        await connection.close()


async def run_command(data_dir: Path, *arguments: str, **settings: object) -> tuple[int, str]:
    """Run one `sitewright` command to its end; returns its exit code and its output."""
    variables = environment(data_dir, **settings) | {"COLUMNS": "200"}
    process = await fork_command(*arguments, env=variables, output=asyncio.subprocess.PIPE)
    output, _ = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
    return process.returncode or 0, output.decode()
