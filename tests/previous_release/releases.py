"""Two releases of the service on one database: each part of it can be run by the code of either."""

import asyncio
import io
import json
import signal
import subprocess
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import COMMAND, environment, free_port
from tests.support.timeouts import HANG_SECONDS

ROOT = Path(__file__).parents[2]
RENDER_LIMIT = "SMALL, seconds=2)"


class Release(msgspec.Struct, frozen=True):
    name: str
    source: Path


THIS = Release("this", ROOT / "src")


def extract_previous_release(folder: Path) -> Release:
    """The code of the commit that `.ci/previous-release` names; it runs with the packages that are installed here."""
    commit = (ROOT / ".ci/previous-release").read_text().strip()
    found = _git("cat-file", "-e", f"{commit}^{{commit}}")
    if found.returncode != 0:
        pytest.fail(
            f"git does not find the previous release, {commit} (.ci/previous-release): {found.stderr.decode().strip()}."
            f" A shallow clone lacks it. Run: git fetch --depth=1 origin {commit}   or   git fetch --unshallow"
        )
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit, "src").stdout)) as archive:
        archive.extractall(folder, filter="data")
    _render_in_threads(folder / "src")
    return Release("previous", folder / "src")


def _render_in_threads(source: Path) -> None:
    """Let a small site take any time to render. After two seconds a child process would render it, and that one finds
    only the code that is installed here, not the previous release's."""
    [module] = [file for file in source.rglob("*.py") if RENDER_LIMIT in file.read_text()]
    module.write_text(module.read_text().replace(RENDER_LIMIT, f"SMALL, seconds={HANG_SECONDS})"))


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Also in a container whose user does not own the checkout."""
    command = ["git", "-c", f"safe.directory={ROOT}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False)


class Installation:
    """One data folder and one database."""

    def __init__(self, data_dir: Path, database_url: str) -> None:
        self.data_dir = data_dir
        self._log = data_dir.with_suffix(".log")
        ports = {name: free_port() for name in ("api_port", "site_port", "site_tls_port")}
        self.api_url = f"http://127.0.0.1:{ports['api_port']}"
        self._environment = environment(
            data_dir,
            database_url=database_url,
            workers=1,
            edge_processes=1,
            webhook_allowed_networks="127.0.0.0/8",
            **ports,
        )

    @property
    def demo(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.data_dir / "demo.json").read_text())
        return document

    def client(self, brand: int) -> httpx.AsyncClient:
        basic = self.demo["brands"][brand]["basic"]
        auth = (basic["username"], basic["password"])
        return http_client(self.api_url, auth=auth)

    async def run(self, release: Release, command: str) -> None:
        process = await self._start(release, command)
        assert await process.wait() == 0, self._log.read_text()[-2000:]

    @asynccontextmanager
    async def running(self, **commands: Release) -> AsyncIterator[None]:
        """Each command by its release, until the end; yields once the API is ready."""
        processes = [await self._start(release, command) for command, release in commands.items()]
        try:
            await eventually(lambda: self._is_ready(processes))
            yield
        finally:
            for process in processes:
                if process.returncode is None:
                    process.send_signal(signal.SIGTERM)
            for process in processes:
                await process.wait()

    async def _start(self, release: Release, command: str) -> asyncio.subprocess.Process:
        arguments = [command, "--demo"] if command == "serve" else [command]
        with self._log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *COMMAND,
                *arguments,
                env=self._environment | {"PYTHONPATH": str(release.source)},
                cwd=self.data_dir.parent,
                stdout=log,
                stderr=log,
            )

    async def _is_ready(self, processes: list[asyncio.subprocess.Process]) -> bool:
        assert all(process.returncode is None for process in processes), self._log.read_text()[-2000:]
        try:
            async with http_client() as client:
                return (await client.get(f"{self.api_url}/health/ready")).status_code == 200
        except httpx.HTTPError:
            return False
