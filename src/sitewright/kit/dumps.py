"""Database dumps with pg_dump and pg_restore: written atomically, restored into an empty database."""

import os
import subprocess
from pathlib import Path
from typing import BinaryIO
from urllib.parse import SplitResult, parse_qs, parse_qsl, unquote, urlencode, urlsplit

import asyncpg

from sitewright.kit.atomic_files import replacing
from sitewright.kit.embedded import client_program
from sitewright.kit.migrations import ensure_roles, has_tables


class DumpError(Exception):
    """For operators: why a dump failed or cannot be restored, and what to do."""


def write_dump(owner_url: str, file: Path) -> None:
    """Write a consistent snapshot while the service runs; only its owner can read it, since it has personal data.

    Some tables force row-level security on their owner; a policy lets pg_dump, by its application name, read all.
    """
    with replacing(file) as draft:
        _run("pg_dump", owner_url, "--format=custom", "--no-owner", "--enable-row-security", into=draft)


async def check_is_empty(owner_url: str) -> None:
    """Check that the database has no tables, and create the roles that the dump grants privileges to."""
    connection = await asyncpg.connect(owner_url, timeout=10)
    try:
        if await has_tables(connection):
            raise DumpError("This database has tables already. Restore into an empty database, or an empty data_dir.")
        await ensure_roles(connection)
    finally:
        await connection.close()


def read_dump(owner_url: str, file: Path) -> None:
    """Restore in one transaction."""
    _run("pg_restore", owner_url, "--no-owner", "--exit-on-error", "--single-transaction", str(file))


def _run(program: str, url: str, *arguments: str, into: BinaryIO | None = None) -> None:
    """Run a client program. The password is passed in the environment: other users can read a command line.

    So is the application name, by which policies recognize pg_dump.

    `into` is an open file for the output; a path could point to another file by then.
    """
    parts = urlsplit(url)
    account, _, host = parts.netloc.rpartition("@")
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] not in ("password", "application_name")])
    netloc = f"{account.partition(':')[0]}@{host}" if account else host
    bare = parts._replace(netloc=netloc, query=query).geturl()
    completed = subprocess.run(
        [str(client_program(program)), f"--dbname={bare}", *arguments],
        env=os.environ | {"PGPASSWORD": _password(parts), "PGAPPNAME": program},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if into is None else into,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if completed.returncode != 0:
        raise DumpError(f"{program} failed: {completed.stderr.strip()[-500:]}")


def _password(parts: SplitResult) -> str:
    return unquote(parts.password or "") or parse_qs(parts.query).get("password", [""])[-1]
