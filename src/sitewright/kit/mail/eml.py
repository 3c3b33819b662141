"""Mail as files, where there is no SMTP server: `<data dir>/mail/*.eml`, for the operator alone."""

import asyncio
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from sitewright.kit.mail.carriers import Letter, Nobody


class FolderCarrier:
    """Keeps letters together until they are settled: a few files are written at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unsettled: dict[str, bytes] = {}
        """By the names of their files."""

    async def carry(self, letter: Letter) -> dict[str, str]:
        mail = letter.mail
        name = f"{letter.at:%Y%m%dT%H%M%S.%fZ}-{mail.brand_ref}-{mail.ref}-{mail.kind}.eml"
        self._unsettled[name] = letter.message.content
        return {"file": name}

    async def settle(self) -> None:
        files, self._unsettled = self._unsettled, {}
        try:
            await asyncio.to_thread(self._write_all, files)
        except OSError as error:
            raise Nobody(f"{error.strerror}: {self._folder}") from error

    async def close(self) -> None:
        pass

    def _write_all(self, files: dict[str, bytes]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name, content in files.items():
                _write(folder, name, content)
            os.fsync(folder)  # their names, too, have reached the disk
        finally:
            os.close(folder)


def _write(folder: int, name: str, content: bytes) -> None:
    """Under another name first: whoever looks into the folder finds whole files only."""
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
    """Remove mails, and drafts of writers that died, last written before then; how many."""
    removed = 0
    with suppress(FileNotFoundError), os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):  # somebody else was quicker
                if ".eml" in file.name and file.is_file(follow_symlinks=False) and _is_older(file, older_than):
                    Path(file.path).unlink()
                    removed += 1
    return removed


def _is_older(file: "os.DirEntry[str]", than: datetime) -> bool:
    return file.stat(follow_symlinks=False).st_mtime < than.timestamp()
