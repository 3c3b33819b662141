"""Secrets at rest: AES-256-GCM under a named master key that lives outside the database.

A sealed value begins with the name of its key, so that keys can be rotated; what it belongs to (its context) is
bound as associated data, so that a sealed value copied to another row does not open.
"""

import base64
import binascii
import hashlib
import hmac
import os
import stat
import tempfile
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NAME_BYTES = 8
NONCE_BYTES = 12


class MasterKeyError(Exception):
    """The master key is missing, unreadable or not the one a secret was sealed with."""


class Sealer:
    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise MasterKeyError(f"The master key must hold {KEY_BYTES} bytes, in base64; it holds {len(key)}.")
        self.key_name = hashlib.sha256(b"sitewright key name" + key).digest()[:NAME_BYTES]
        self._cipher = AESGCM(key)
        self._key = key

    def seal(self, secret: bytes, context: str) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return self.key_name + nonce + self._cipher.encrypt(nonce, secret, context.encode())

    def unseal(self, sealed: bytes, context: str) -> bytes:
        name, nonce = sealed[:NAME_BYTES], sealed[NAME_BYTES : NAME_BYTES + NONCE_BYTES]
        if name != self.key_name:
            raise MasterKeyError("A secret in the database was sealed with another master key than the one in use.")
        try:
            return self._cipher.decrypt(nonce, sealed[NAME_BYTES + NONCE_BYTES :], context.encode())
        except (InvalidTag, ValueError):
            raise MasterKeyError("A secret in the database was changed or moved; it does not open.") from None

    def derive(self, label: str) -> str:
        """A secret of its own for `label`, the same every time."""
        digest = hmac.digest(self._key, f"sitewright derived {label}".encode(), "sha256")
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def load_sealer(configured: str, data_path: Path) -> Sealer:
    """The key from the settings, else from `<data dir>/master.key`, which is made when it is not there."""
    if configured:
        return Sealer(_decode(configured, "The setting master_key"))
    path = data_path / "master.key"
    _make_key_file(path)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise MasterKeyError(f"{path} can be read by others. Run: chmod 600 {path}")
    return Sealer(_decode(path.read_bytes(), str(path)))


def _decode(text: str | bytes, source: str) -> bytes:
    try:
        return base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        raise MasterKeyError(f"{source} is not base64. It must be {KEY_BYTES} random bytes in base64.") from None


def _make_key_file(path: Path) -> None:
    """Written whole or not at all, and once, also when several processes start together."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    draft = Path(name)
    with os.fdopen(descriptor, "wb") as file:
        file.write(base64.b64encode(os.urandom(KEY_BYTES)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
