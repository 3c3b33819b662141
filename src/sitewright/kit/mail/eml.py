"""Mail as files, where there is no SMTP server: `<data dir>/mail/*.eml`, for the operator alone."""

import asyncio
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from sitewright.kit.mail.transports import OutgoingMail, ServerUnavailable


class FolderTransport:
    """Buffers mails until `flush`, which writes them with one fsync of the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unflushed: dict[str, bytes] = {}
        """By the names of their files."""

    async def send(self, outgoing: OutgoingMail) -> dict[str, str]:
        mail = outgoing.mail
        name = f"{outgoing.at:%Y%m%dT%H%M%S.%fZ}-{mail.brand_ref}-{mail.ref}-{mail.kind}.eml"
        self._unflushed[name] = outgoing.message.content
        return {"file": name}

    async def flush(self) -> None:
        files, self._unflushed = self._unflushed, {}
        try:
            await asyncio.to_thread(self._write_all, files)
        except OSError as error:
            raise ServerUnavailable(f"{error.strerror}: {self._folder}") from error

    async def close(self) -> None:
        pass

    def _write_all(self, files: dict[str, bytes]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name, content in files.items():
                _write(folder, name, content)
            os.fsync(folder)  # makes the new names durable, too
        finally:
            os.close(folder)


def _write(folder: int, name: str, content: bytes) -> None:
    """Atomic: written under a temporary name, then renamed."""
    draft = f".{name}.{os.getpid()}"
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    try:
        while content:
            content = content[os.write(file, content) :]
        os.fsync(file)
    finally:
        os.close(file)
    os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)


def prune(folder: Path, older_than: datetime) -> int:
    """Delete mails, and temporary files of processes that died, last modified before then; returns how many."""
    removed = 0
    with suppress(FileNotFoundError), os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):  # another process deleted it
                if ".eml" in file.name and file.is_file(follow_symlinks=False) and _is_older(file, older_than):
                    Path(file.path).unlink()
                    removed += 1
    return removed


def _is_older(file: "os.DirEntry[str]", than: datetime) -> bool:
    return file.stat(follow_symlinks=False).st_mtime < than.timestamp()
