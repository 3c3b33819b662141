"""Debian's PostgreSQL with continuous archiving, its base backup, and servers recovered from both."""

import asyncio
import getpass
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import asyncpg

from tests.support.debian_postgres import accepts, installed_binaries, run_as_unprivileged
from tests.support.eventually import eventually
from tests.support.service import free_port
from tests.support.users import OwnerConnection

GUIDE = Path(__file__).parents[2] / "docs/operate/backups.md"
ADMIN = "postgres" if os.geteuid() == 0 else getpass.getuser()


class ArchivingServer:
    """Configured as docs/operate/backups.md shows."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.archive, self.base = folder / "archive", folder / "base"

    @property
    def url(self) -> str:
        return url_of(self.port)

    async def take_base_backup(self) -> None:
        """While the service writes."""
        options = ["--checkpoint=fast", "-h", "127.0.0.1", "-p", str(self.port), "-U", ADMIN]
        await _run("pg_basebackup", *options, "-D", self.base)

    async def archive_all(self, connection: OwnerConnection) -> None:
        """Wait until everything written so far is in the archive; usually PostgreSQL does so when a segment is full."""
        segment = await connection.fetchval("select pg_walfile_name(pg_switch_wal())")

        async def is_archived() -> bool:
            return bool(await connection.fetchval("select last_archived_wal >= $1 from pg_stat_archiver", segment))

        await eventually(is_archived)


@asynccontextmanager
async def archiving_server() -> AsyncIterator[ArchivingServer]:
    folder = Path(tempfile.mkdtemp(prefix="archiving-postgres-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    server = ArchivingServer(folder, free_port())
    try:
        await _run("initdb", "-D", folder / "data", "-U", ADMIN, "--auth=trust")
        await _run_program("mkdir", server.archive)
        async with _running(folder / "data", server.port, guide_settings(server.archive, "archive_mode")):
            yield server
    finally:
        shutil.rmtree(folder)


@asynccontextmanager
async def recovered(server: ArchivingServer, until: datetime) -> AsyncIterator[str]:
    """The URL of a copy of the base backup, recovered to this moment."""
    data = server.folder / "recovered"
    await _run_program("cp", "--archive", server.base, data)
    await _run_program("touch", data / "recovery.signal")
    port = free_port()
    options = guide_settings(server.archive, "restore_command") | {"recovery_target_time": until.isoformat()}
    try:
        async with _running(data, port, options):
            await eventually(lambda: _has_ended_recovery(port))
            yield url_of(port)
    finally:
        shutil.rmtree(data)


def guide_settings(archive: Path, first: str) -> dict[str, str]:
    """The block of settings in docs/operate/backups.md that begins with this one, with our own folder."""
    [block] = [
        block for block in re.findall(r"```ini\n(.*?)```", GUIDE.read_text(), re.DOTALL) if block.startswith(first)
    ]
    pairs = re.findall(r"^(\w+) = '?(.*?)'?$", block, re.MULTILINE)
    return {name: value.replace("/archive", str(archive)) for name, value in pairs} | {"max_connections": "200"}


def url_of(port: int) -> str:
    return f"postgresql://{ADMIN}@127.0.0.1:{port}/postgres"


@asynccontextmanager
async def _running(data: Path, port: int, options: dict[str, str]) -> AsyncIterator[None]:
    given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    server = await run_as_unprivileged(
        installed_binaries() / "postgres", "-D", data, "-k", data.parent, "-p", str(port), *given
    )
    try:
        await eventually(lambda: _accepts_or_ended(server, port))
        yield
    finally:
        if server.returncode is None:
            server.send_signal(signal.SIGINT)
        await server.wait()


async def _accepts_or_ended(server: asyncio.subprocess.Process, port: int) -> bool:
    assert server.returncode is None, "the server ended"
    return await accepts(port, ADMIN)


async def _has_ended_recovery(port: int) -> bool:
    connection = await asyncpg.connect(url_of(port))
    try:
        return not await connection.fetchval("select pg_is_in_recovery()")
    finally:
        await connection.close()


async def _run(program: str, *arguments: str | Path) -> None:
    await _run_program(installed_binaries() / program, *arguments)


async def _run_program(*command: str | Path) -> None:
    process = await run_as_unprivileged(*command)
    assert await process.wait() == 0, command
