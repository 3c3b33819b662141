"""Database dumps with pg_dump and pg_restore: written atomically, restored into an empty database."""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from typing import IO, BinaryIO, cast
from urllib.parse import SplitResult, parse_qs, parse_qsl, unquote, urlencode, urlsplit

from sitewright.kit.atomic_files import replacing
from sitewright.kit.embedded import client_program
from sitewright.kit.migrations import ensure_roles, has_tables
from sitewright.kit.primary import connect
from sitewright.kit.primary.urls import host_of, split_hosts

NEW_SETTING = b"SET transaction_timeout = 0;\n"
"""Written by pg_restore from PostgreSQL 17 on; unknown to older servers."""
ACCEPTS_WRITES = {"PGTARGETSESSIONATTRS": "read-write", "PGCONNECT_TIMEOUT": "5"}
"""For libpq, which tries the hosts of a URL one after another."""
LAST_OF_SETTINGS = b"SET row_security"


class DumpError(Exception):
    """For operators: why a dump failed or cannot be restored, and what to do."""


def write_dump(owner_url: str, file: Path, *options: str) -> None:
    """Write a consistent snapshot while the service runs; only its owner can read it, since it has personal data.

    Some tables force row-level security on their owner; a policy lets pg_dump, by its application name, read all.
    """
    with replacing(file) as draft:
        _run("pg_dump", owner_url, "--format=custom", "--no-owner", "--enable-row-security", *options, into=draft)


async def check_is_empty(owner_url: str) -> None:
    """Check that the database has no tables, and create the roles that the dump grants privileges to."""
    connection = await connect(owner_url, wait_seconds=10)
    try:
        if await has_tables(connection):
            raise DumpError("This database has tables already. Restore into an empty database, or an empty data_dir.")
        await ensure_roles(connection)
    finally:
        await connection.close()


def read_dump(owner_url: str, file: Path) -> None:
    """Restore in one transaction, or not at all.

    psql executes what pg_restore writes: a setting that older servers do not know would make pg_restore itself fail.
    """
    command = [str(client_program("pg_restore")), "--no-owner", "--file=-", str(file)]
    arguments = ("--single-transaction", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1")
    with (
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=PIPE, stderr=PIPE) as reading,
        _started("psql", owner_url, *arguments, stdin=PIPE, stdout=subprocess.DEVNULL) as writing,
    ):
        source, target = cast("IO[bytes]", reading.stdout), cast("IO[bytes]", writing.stdin)
        try:
            if _copy_script(source, target):
                _check("pg_restore", reading)
        except BaseException:
            writing.kill()  # at the end of its input it would commit a part
            raise
        finally:
            with suppress(BrokenPipeError):  # what psql does not read any more
                target.close()
        _check("psql", writing)


def _copy_script(source: IO[bytes], target: IO[bytes]) -> bool:
    """Returns False if the reader has ended early; it says why."""
    try:
        for line in source:
            if line != NEW_SETTING:
                target.write(line)
            if line.startswith(LAST_OF_SETTINGS):
                break
        shutil.copyfileobj(source, target)
        target.flush()
    except BrokenPipeError:
        return False
    return True


def _run(program: str, url: str, *arguments: str, into: BinaryIO | None = None) -> None:
    """`into` is an open file for the output; a path could point to another file by then."""
    output = subprocess.DEVNULL if into is None else into
    with _started(program, url, *arguments, stdin=subprocess.DEVNULL, stdout=output) as process:
        _check(program, process)


def _started(program: str, url: str, *arguments: str, stdin: int, stdout: int | BinaryIO) -> "subprocess.Popen[bytes]":
    """Start a client program. The password is passed in the environment: other users can read a command line.

    So is the application name, by which policies recognize pg_dump.
    """
    hosts = split_hosts(url)
    parts = urlsplit(hosts[0])
    account = parts.netloc.rpartition("@")[0]
    host = ",".join(host_of(each) for each in hosts)
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] not in ("password", "application_name")])
    netloc = f"{account.partition(':')[0]}@{host}" if account else host
    bare = parts._replace(netloc=netloc, query=query).geturl()
    one_of_several = ACCEPTS_WRITES if len(hosts) > 1 else {}
    return subprocess.Popen(
        [str(client_program(program)), f"--dbname={bare}", *arguments],
        env=os.environ | {"PGPASSWORD": _password(parts), "PGAPPNAME": program} | one_of_several,
        stdin=stdin,
        stdout=stdout,
        stderr=PIPE,
    )


def _check(program: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until it ends."""
    reason = b"" if process.stderr is None else process.stderr.read()
    if process.wait() != 0:
        raise DumpError(f"{program} failed: {reason.decode(errors='replace').strip()[-500:]}")


def _password(parts: SplitResult) -> str:
    return unquote(parts.password or "") or parse_qs(parts.query).get("password", [""])[-1]
