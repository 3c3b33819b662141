"""Debian's own PostgreSQL, reached over TCP, with an owner that is not a superuser."""

import asyncio
import getpass
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg

from tests.support.eventually import eventually
from tests.support.service import free_port

INSTALLED = Path("/usr/lib/postgresql")
CHOSEN = os.environ.get("SITEWRIGHT_TEST_POSTGRES", "")
"""The major version of Debian's PostgreSQL to test on. Empty: the embedded one, and the oldest in system tests."""


def installed_binaries() -> Path:
    if CHOSEN:
        return INSTALLED / CHOSEN / "bin"
    return min(INSTALLED.glob("*/bin"), key=lambda path: int(path.parent.name))


@asynccontextmanager
async def debian_postgres(*, superuser: bool = False) -> AsyncIterator[str]:
    """The URL of an empty database, as its owner."""
    binaries = installed_binaries()
    folder = Path(tempfile.mkdtemp(prefix="debian-postgres-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    admin = "postgres" if os.geteuid() == 0 else getpass.getuser()
    initdb = await run_as_unprivileged(binaries / "initdb", "-D", folder / "data", "-U", admin, "--auth=trust")
    assert await initdb.wait() == 0
    port = free_port()
    server = await run_as_unprivileged(
        binaries / "postgres", "-D", folder / "data", "-k", folder, "-p", str(port), "-c", "listen_addresses=127.0.0.1"
    )
    try:
        await eventually(lambda: accepts(port, admin))
        connection = await asyncpg.connect(host="127.0.0.1", port=port, user=admin, database="postgres")
        await connection.execute("create role owner login createrole" + " superuser" * superuser)
        await connection.execute("create database sitewright owner owner")
        await connection.close()
        yield f"postgresql://owner@127.0.0.1:{port}/sitewright"
    finally:
        server.send_signal(signal.SIGINT)  # does not wait for open connections
        await server.wait()
        shutil.rmtree(folder)


async def run_as_unprivileged(*command: str | Path) -> asyncio.subprocess.Process:
    """PostgreSQL refuses to run as root; Debian's package has a user for it."""
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = {"user": "postgres", "group": "postgres", "extra_groups": []}
    return await asyncio.create_subprocess_exec(
        *map(str, command), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, cwd="/", **user
    )


async def accepts(port: int, user: str) -> bool:
    try:
        await (await asyncpg.connect(host="127.0.0.1", port=port, user=user, database="postgres")).close()
    except (OSError, asyncpg.PostgresError):
        return False
    return True
