"""Any PostgreSQL from 15 on will do: Debian's own, with an owner that is no superuser."""

import asyncio
import getpass
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.support.eventually import eventually
from tests.support.service import free_port, run_command, running_service

pytestmark = pytest.mark.system


async def run_as_unprivileged(*command: str | Path) -> asyncio.subprocess.Process:
    """PostgreSQL refuses to run as root; Debian's package brings an account for it."""
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = {"user": "postgres", "group": "postgres", "extra_groups": []}
    return await asyncio.create_subprocess_exec(
        *map(str, command), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, cwd="/", **user
    )


@pytest.fixture
async def debian_url() -> AsyncIterator[str]:
    binaries = min(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
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
        await eventually(lambda: _accepts(port, admin))
        connection = await asyncpg.connect(host="127.0.0.1", port=port, user=admin, database="postgres")
        await connection.execute("create role owner login createrole")
        await connection.execute("create database sitewright owner owner")
        await connection.close()
        yield f"postgresql://owner@127.0.0.1:{port}/sitewright"
    finally:
        server.terminate()
        await server.wait()
        shutil.rmtree(folder)


async def _accepts(port: int, user: str) -> bool:
    try:
        await (await asyncpg.connect(host="127.0.0.1", port=port, user=user, database="postgres")).close()
    except (OSError, asyncpg.PostgresError):
        return False
    return True


async def test_the_whole_service_runs_on_it(debian_url: str, tmp_path: Path) -> None:
    async with running_service(tmp_path / "var", database_url=debian_url) as service:
        async with service.client(brand=1) as client:
            assert (await client.get("/brands/2/languages")).status_code == 200
            assert (await client.get("/brands/1/languages")).json()["code"] == "brandMismatch"
        code, output = await run_command(service.data_dir, "call", "GET", "/brands/1/languages", **service.settings)
        assert (code, "Deutsch" in output) == (0, True)
        owner = await asyncpg.connect(debian_url)
        assert await owner.fetchval("select rolsuper from pg_roles where rolname = current_user") is False
        assert int(await owner.fetchval("show server_version_num")) >= 150000
        await owner.close()
    assert not (tmp_path / "var" / "postgres").exists()
