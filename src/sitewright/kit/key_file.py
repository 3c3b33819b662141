"""The file of master keys: one per line, in base64. The first encrypts; all of them decrypt.

It is replaced atomically, so that readers find either the old keys or the new ones.
"""

import base64
import binascii
import os
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

KEY_BYTES = 32
NAME = "master.key"


class MasterKeyError(Exception):
    """The master key is missing, unreadable or not the one that a secret was encrypted with."""


class KeyFile:
    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def state(self) -> tuple[int, ...]:
        """Differs after every change. Empty while there is no file."""
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode

    def read(self) -> list[bytes]:
        if stat.S_IMODE(self.path.stat().st_mode) & 0o077:
            raise MasterKeyError(f"{self.path} can be read by others. Run: chmod 600 {self.path}")
        lines = [line for line in self.path.read_bytes().splitlines() if line.strip()]
        return [decode_key(line, str(self.path)) for line in lines or [b""]]

    def make(self) -> None:
        """Create the file with a new key if it does not exist; safe if several processes start together."""
        if self.path.exists():
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._draft([new_key()])
        try:
            os.link(draft, self.path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()

    def write(self, keys: Sequence[bytes]) -> None:
        """Replace the keys; the file keeps its owner, whichever user runs the command."""
        before = self.path.stat()
        draft = self._draft(keys)
        with suppress(PermissionError):
            os.chown(draft, before.st_uid, before.st_gid)
        draft.replace(self.path)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _draft(self, keys: Sequence[bytes]) -> Path:
        descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=f"{self.path.name}.")
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"".join(base64.b64encode(key) + b"\n" for key in keys))
            file.flush()
            os.fsync(file.fileno())
        return Path(name)


def new_key() -> bytes:
    return os.urandom(KEY_BYTES)


def decode_key(text: str | bytes, source: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        raise MasterKeyError(f"{source} is not base64. It must be {KEY_BYTES} random bytes in base64.") from None
    return check_length(key)


def check_length(key: bytes) -> bytes:
    if len(key) != KEY_BYTES:
        raise MasterKeyError(f"The master key must hold {KEY_BYTES} bytes, in base64; it holds {len(key)}.")
    return key
