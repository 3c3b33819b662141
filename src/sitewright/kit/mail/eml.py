"""Mail as files, where there is no SMTP server: `<data dir>/mail/*.eml`, for the operator alone."""

import asyncio
import os
from pathlib import Path

from sitewright.kit.mail.carriers import Letter, Nobody


class FolderCarrier:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def carry(self, letter: Letter) -> dict[str, str]:
        mail = letter.mail
        name = f"{letter.at:%Y%m%dT%H%M%S.%fZ}-{mail.brand_ref}-{mail.ref}-{mail.kind}.eml"
        try:
            await asyncio.to_thread(self._write, name, letter.message.content)
        except OSError as error:
            raise Nobody(f"{error.strerror}: {self._folder}") from error
        return {"file": name}

    def _write(self, name: str, content: bytes) -> None:
        """Under another name first: whoever looks into the folder finds whole files only."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._folder / f".{name}.{os.getpid()}"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._folder / name)

    async def close(self) -> None:
        pass
