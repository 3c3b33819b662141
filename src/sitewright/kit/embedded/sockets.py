"""The folder of the server's unix socket; the server does not listen on TCP."""

import os
import shutil
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

from sitewright.kit.embedded.account import Account
from sitewright.kit.embedded.layout import Layout
from sitewright.kit.embedded.private_files import make_private_folder, write_private_file

PORT = 5432
SOCKET = f".s.PGSQL.{PORT}"
SOCKET_LOCK = SOCKET + ".lock"
MAX_SOCKET_PATH = 107

# Not TMPDIR, which may be too long itself or inaccessible to the server's account.
SHORT_PARENT = Path("/tmp")  # noqa: S108 -- mkdtemp makes the folder fresh and private
SHORT_PREFIX = "sitewright-"


def open_socket_folder(layout: Layout, account: Account) -> Path:
    remove_short_folder(layout)
    if _fits(layout.run):
        return layout.run
    short = Path(tempfile.mkdtemp(prefix=SHORT_PREFIX, dir=SHORT_PARENT))
    make_private_folder(short, account)
    write_private_file(layout.short_run_record, str(short), uid=account.uid, gid=account.gid)
    return short


def current_socket_folder(layout: Layout) -> Path:
    return _recorded(layout) or layout.run


def remove_short_folder(layout: Layout) -> None:
    short = _recorded(layout)
    if short is None:
        return
    if _is_removable(short, layout):
        shutil.rmtree(short, ignore_errors=True)
    layout.short_run_record.unlink()


def connection_url(user: str, password: str, database: str, socket_folder: Path) -> str:
    return f"postgresql://{user}:{password}@/{database}?host={quote(str(socket_folder), safe='')}&port={PORT}"


def _fits(folder: Path) -> bool:
    # A comma separates hosts in a connection URL and folders in unix_socket_directories.
    return len(os.fsencode(folder / SOCKET)) <= MAX_SOCKET_PATH and "," not in str(folder)


def _recorded(layout: Layout) -> Path | None:
    try:
        return Path(layout.short_run_record.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def _is_removable(short: Path, layout: Layout) -> bool:
    # The server's account can write the record: it must not make root remove something else.
    if short.parent != SHORT_PARENT or not short.name.startswith(SHORT_PREFIX):
        return False
    try:
        found = short.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == layout.folder.stat().st_uid
