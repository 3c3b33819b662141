"""Debian's PgBouncer in session mode, in front of a PostgreSQL that is reached over TCP."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from tests.support.eventually import eventually
from tests.support.service import free_port

SETTINGS = """
[databases]
* = host=127.0.0.1 port={server_port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = session
server_reset_query = DISCARD ALL
max_client_conn = 500
default_pool_size = 200
logfile = {folder}/log
"""


@asynccontextmanager
async def pgbouncer(url: str, users: list[str]) -> AsyncIterator[str]:
    """The same database through the pooler, which knows only these users."""
    folder = Path(tempfile.mkdtemp(prefix="pgbouncer-", dir="/tmp"))
    parts, port = urlsplit(url), free_port()
    (folder / "users").write_text("".join(f'"{user}" ""\n' for user in users))
    (folder / "settings").write_text(SETTINGS.format(folder=folder, port=port, server_port=parts.port))
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        user = {"user": "postgres", "group": "postgres", "extra_groups": []}
    program = ["/usr/sbin/pgbouncer", "-q", str(folder / "settings")]
    pooler = await asyncio.create_subprocess_exec(*program, cwd="/", **user)
    through = urlunsplit(parts._replace(netloc=f"{parts.username}@127.0.0.1:{port}"))

    async def responses() -> bool:
        try:
            await (await asyncpg.connect(through)).close()
        except (OSError, asyncpg.PostgresError):
            return False
        return True

    try:
        await eventually(responses)
        yield through
    finally:
        pooler.terminate()
        await pooler.wait()
        shutil.rmtree(folder)
