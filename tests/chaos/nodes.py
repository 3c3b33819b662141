"""Several nodes on one database, as operators run them, and clients behind a round-robin load balancer."""

import asyncio
import itertools
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx

from sitewright.demo.service import apply_demo_catalogue
from sitewright.features import MAIL
from sitewright.kit.migrations import migrate
from tests.support.eventually import eventually
from tests.support.forked import ForkedProcess, fork_command
from tests.support.http_clients import http_client
from tests.support.service import COMMAND, environment, free_port
from tests.support.timeouts import HANG_SECONDS

PARTS = ("api", "edge", "worker")
MODULES = {"edge": "tests.support.patient_edge"}
"""Without a notification the edge server would serve stale pages for a day."""
PORTS = ("api_port", "site_port", "site_tls_port")


class Node:
    """`sitewright api`, `sitewright edge` and `sitewright worker`, each with its own supervisor."""

    def __init__(self, folder: Path, database_url: str, **settings: object) -> None:
        self.ports = {name: free_port() for name in PORTS}
        self.source: Path | None = None
        """The code that it runs from its next start on; None: the code of these tests."""
        self._folder = folder
        self._log = folder.with_suffix(".log")
        self._environment = environment(folder, **{"database_url": database_url, "workers": 1} | self.ports | settings)
        self._processes: list[asyncio.subprocess.Process | ForkedProcess] = []

    async def start(self) -> None:
        with self._log.open("ab") as log:
            for part in PARTS:
                self._processes.append(await self._start(part, log))
        await eventually(self._is_ready)

    async def _start(self, part: str, log: BinaryIO) -> asyncio.subprocess.Process | ForkedProcess:
        """Other code runs outside this folder, and without the tests' own edge server."""
        if self.source is None:
            module = MODULES.get(part, "sitewright")
            return await fork_command(part, env=self._environment, output=log, module=module, new_session=True)
        return await asyncio.create_subprocess_exec(
            *COMMAND,
            part,
            env=self._environment | {"PYTHONPATH": str(self.source)},
            cwd=self._folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    async def _is_ready(self) -> bool:
        try:
            async with http_client() as client:
                ready = await client.get(f"http://127.0.0.1:{self.ports['api_port']}/health/ready")
                site = await client.get(f"http://127.0.0.1:{self.ports['site_port']}/")
        except httpx.HTTPError:
            return False
        return (ready.status_code, site.status_code) == (200, 404)

    async def end(self, number: signal.Signals) -> None:
        """SIGKILL acts like switching its machine off; with SIGTERM it drains."""
        for process in self._processes:
            if number == signal.SIGKILL:
                os.killpg(process.pid, number)
            elif process.returncode is None:
                process.send_signal(number)
        for process in self._processes:
            await asyncio.wait_for(process.wait(), HANG_SECONDS)
        self._processes.clear()


@asynccontextmanager
async def two_nodes(folder: Path, master_key: Path, database_url: str) -> AsyncIterator[list[Node]]:
    nodes = []
    for name in ("one", "other"):
        (folder / name).mkdir()
        shutil.copy(master_key, folder / name / "master.key")
        nodes.append(Node(folder / name, database_url))
    try:
        await asyncio.gather(*(node.start() for node in nodes))
        yield nodes
    finally:
        await asyncio.gather(*(node.end(signal.SIGTERM) for node in nodes))


@asynccontextmanager
async def second_database(database_url: str, name: str) -> AsyncIterator[str]:
    """Create another database on the same server, with the demo's catalogue; returns the URL of its owner."""
    owner = await asyncpg.connect(database_url)
    await owner.execute(f"create database {name}")
    url = urlunsplit(urlsplit(database_url)._replace(path=f"/{name}"))
    try:
        await migrate(url)
        inside = await asyncpg.connect(url)
        await apply_demo_catalogue(inside, MAIL.kinds)
        await inside.close()
        yield url
    finally:
        await owner.execute(f"drop database {name} with (force)")
        await owner.close()


class RoundRobin(httpx.AsyncBaseTransport):
    """Send each request to the next node; without a complete response, retry at the following one. A request that the
    client aborts itself is not retried."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._turns = itertools.count()
        self._transport = httpx.AsyncHTTPTransport()
        self.turned_away = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        turn = next(self._turns)
        try:
            return await self._send_to(request, turn)
        except httpx.TimeoutException:
            raise
        except httpx.TransportError:
            self.turned_away += 1
            return await self._send_to(request, turn + 1)

    async def _send_to(self, request: httpx.Request, turn: int) -> httpx.Response:
        request.url = request.url.copy_with(port=self._ports[turn % len(self._ports)])
        response = await self._transport.handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        content = b"".join([part async for part in response.stream])
        await response.aclose()
        return httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(content))

    async def aclose(self) -> None:
        await self._transport.aclose()
