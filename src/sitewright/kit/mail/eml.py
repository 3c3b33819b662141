"""Mail as files, where there is no SMTP server: `<data dir>/mail/*.eml`, for the operator alone."""

import asyncio
import os
from pathlib import Path

from sitewright.kit.mail.carriers import Letter, Nobody


class FolderCarrier:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unsettled: list[int] = []
        """Files that may not have reached the disk."""

    async def carry(self, letter: Letter) -> dict[str, str]:
        mail = letter.mail
        name = f"{letter.at:%Y%m%dT%H%M%S.%fZ}-{mail.brand_ref}-{mail.ref}-{mail.kind}.eml"
        try:
            self._unsettled.append(await asyncio.to_thread(self._write, name, letter.message.content))
        except OSError as error:
            raise self._nobody(error) from error
        return {"file": name}

    async def settle(self) -> None:
        files, self._unsettled = self._unsettled, []
        try:
            await asyncio.to_thread(_settle, files)
        except OSError as error:
            raise self._nobody(error) from error

    async def close(self) -> None:
        await self.settle()

    def _write(self, name: str, content: bytes) -> int:
        """Under another name first: whoever looks into the folder finds whole files only. The file is still open."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._folder / f".{name}.{os.getpid()}"
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(file, "wb", closefd=False) as written:
                written.write(content)
            draft.replace(self._folder / name)
        except OSError:
            os.close(file)
            raise
        return file

    def _nobody(self, error: OSError) -> Nobody:
        return Nobody(f"{error.strerror}: {self._folder}")


def _settle(files: list[int]) -> None:
    """All of them are closed, whatever becomes of one."""
    errors = []
    for file in files:
        try:
            os.fsync(file)
        except OSError as error:
            errors.append(error)
        finally:
            os.close(file)
    if errors:
        raise errors[0]
