"""A streaming replica of an embedded PostgreSQL, as an embedded PostgreSQL of its own."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import asyncpg

from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.embedded.binaries import client_program
from sitewright.kit.embedded.layout import Layout


@contextmanager
def servers_folder() -> Iterator[Path]:
    """A folder that the account of both servers can enter: a private mount would hide the primary's socket."""
    folder = Path(tempfile.mkdtemp(prefix="sitewright-replica-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def running(server: EmbeddedPostgres) -> Iterator[EmbeddedPostgres]:
    server.start()
    try:
        yield server
    finally:
        with suppress(Exception):
            server.stop()


def make_replica(primary: EmbeddedPostgres, primary_folder: Path, folder: Path) -> EmbeddedPostgres:
    """Copy the primary while it runs; not started yet."""
    source, target = Layout(primary_folder), Layout(folder)
    target.folder.mkdir(parents=True)
    copy = ["--pgdata", str(target.cluster), "--write-recovery-conf", "--checkpoint=fast", "--dbname", primary.url]
    subprocess.run([str(client_program("pg_basebackup")), *copy], check=True)
    shutil.copy(source.password, target.password)
    owner = source.cluster.stat()
    for path in (target.folder, *target.folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    return EmbeddedPostgres(folder)


@asynccontextmanager
async def stalled(replica: EmbeddedPostgres) -> AsyncIterator[None]:
    """The replica receives the primary's log, but replays nothing of it."""
    connection = await asyncpg.connect(replica.url)
    await connection.execute("select pg_wal_replay_pause()")
    while await connection.fetchval("select pg_get_wal_replay_pause_state()") != "paused":
        pass
    try:
        yield
    finally:
        await connection.execute("select pg_wal_replay_resume()")
        await connection.close()
