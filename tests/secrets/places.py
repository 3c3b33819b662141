"""Everywhere a running service may have left data: what is searched, as bytes by name."""

import asyncio
import gzip
import io
import json
import sys
import zipfile
import zlib
from pathlib import Path

import asyncpg

from sitewright.features import SEALED_COLUMNS
from sitewright.kit.embedded import EmbeddedPostgres, client_program
from sitewright.kit.key_file import KeyFile
from sitewright.kit.rotation import store as sealed_store
from sitewright.kit.sealing import Sealer
from tests.support.service import Service, children_of, environment
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

ON_PURPOSE = ("master.key", "postgres.password", "default-certificate.pem", "demo.json", "mail")
"""Files in the data folder for the operator only: keys and passwords, and mails that would otherwise be sent."""
MANY_COMMANDS = """
import json, sys
from sitewright.cli.commands import app
for arguments in json.loads(sys.argv[1]):
    print("$ sitewright", *arguments, flush=True)
    try:
        app(arguments, standalone_mode=False)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
"""


def database_url(service: Service) -> str:
    database = EmbeddedPostgres.running(service.data_dir)
    assert database is not None
    return database.url


async def connected(service: Service) -> OwnerConnection:
    """As the owner of the tables, who sees every brand."""
    return await asyncpg.connect(database_url(service))


async def dump(service: Service) -> bytes:
    """The whole database as pg_dump writes it; bytes are hexadecimal there."""
    process = await asyncio.create_subprocess_exec(
        str(client_program("pg_dump")), f"--dbname={database_url(service)}", stdout=asyncio.subprocess.PIPE
    )
    written, _ = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
    assert process.returncode == 0
    return written


async def decrypted_and_decompressed(service: Service) -> dict[str, bytes]:
    """What a dump hides: encrypted values after decryption, and compressed files after decompression."""
    sealer = Sealer(*KeyFile(service.data_dir / "master.key").read())
    owner = await connected(service)
    try:
        found = {str(column): await _unsealed(owner, sealer, str(column)) for column in SEALED_COLUMNS}
        files = await owner.fetch("select body from site_files")
        changes = await owner.fetch("select before, after from content_changes where before is not null")
        pieces = await owner.fetch(
            "select string_agg(piece, '' order by number) from user_report_pieces group by report_ref"
        )
    finally:
        await owner.close()
    found["site_files.body"] = b"\n".join(gzip.decompress(row[0]) for row in files)
    found["content_changes"] = b"\n".join(
        zlib.decompress(row["before"]) + zlib.decompress(row["after"]) for row in changes
    )
    found["user_report_pieces.piece"] = b"\n".join(unzipped(row[0]) for row in pieces)
    return found


async def _unsealed(owner: OwnerConnection, sealer: Sealer, name: str) -> bytes:
    column = next(each for each in SEALED_COLUMNS if str(each) == name)
    values = await sealed_store.lock_others(owner, column, b"", 0, 1_000_000)
    return b"\n".join(sealer.unseal(each.value, column.context.format(**each.context)) for each in values)


def unzipped(archive: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return b"\n".join(files.read(name) for name in files.namelist())


def logs(service: Service) -> dict[str, bytes]:
    """The logs of the service and of its PostgreSQL."""
    return {
        "the service's log": service.log.read_bytes(),
        "PostgreSQL's log": (service.data_dir / "postgres" / "server.log").read_bytes(),
    }


def kept_files(service: Service) -> dict[str, bytes]:
    """The data folder, except for files that contain secrets on purpose and the database's own files."""
    files = [path for path in service.data_dir.rglob("*") if path.is_file()]
    names = {path: path.relative_to(service.data_dir) for path in files}
    return {
        str(name): path.read_bytes()
        for path, name in names.items()
        if name.parts[0] not in ON_PURPOSE and name.parts[:2] != ("postgres", "data")
    }


def database_files(service: Service) -> dict[str, bytes]:
    """Tables and the write-ahead log, byte for byte: including data that was deleted or changed since."""
    folder = service.data_dir / "postgres" / "data"
    written: dict[str, bytes] = {}
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                written[str(path.relative_to(folder))] = path.read_bytes()
        except FileNotFoundError:
            continue  # a temporary file of the server
    return written


def command_lines(service: Service) -> bytes:
    """Command lines of every process of the service, as visible to other users of the machine."""
    pids, found = [service.process.pid], []
    while pids:
        pid = pids.pop()
        pids += children_of(pid)
        try:
            found.append((Path("/proc") / str(pid) / "cmdline").read_bytes())
        except FileNotFoundError:
            continue
    return b"\n".join(found)


async def command_output(service: Service, *commands: tuple[str, ...]) -> bytes:
    """The output of the operator's commands, run one after another in a separate process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MANY_COMMANDS, json.dumps(commands)),
        env=environment(service.data_dir, **service.settings) | {"COLUMNS": "400"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
    assert process.returncode == 0, printed.decode()
    return printed


def modes(service: Service) -> dict[str, str]:
    """File modes of what contains secrets on purpose."""
    return {name: oct((service.data_dir / name).stat().st_mode & 0o777) for name in ON_PURPOSE}
