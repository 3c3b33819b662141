"""Encryption of secrets at rest ("sealing"): AES-256-GCM with a master key that is stored outside the database.

A sealed value begins with the name of its key, so that keys can be rotated. Its context (table, row, column) is bound
as associated data, so that a value copied to another row cannot be decrypted.

There may be several keys: the first encrypts, all of them decrypt. A running process reloads the key file before it
encrypts, and whenever a value names an unknown key.
"""

import base64
import hashlib
import hmac
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sitewright.kit.key_file import KEY_BYTES, NAME, KeyFile, MasterKeyError, check_length, decode_key

__all__ = ["KEY_BYTES", "NAME_BYTES", "MasterKeyError", "Sealer", "SecretChangedError", "load_sealer", "name_of"]

NAME_BYTES = 8
NONCE_BYTES = 12
_log = logging.getLogger("sitewright.sealing")


def name_of(key: bytes) -> bytes:
    return hashlib.sha256(b"sitewright key name" + check_length(key)).digest()[:NAME_BYTES]


class SecretChangedError(MasterKeyError):
    """The key is there, but one value is not what was encrypted for its row."""


class Sealer:
    def __init__(self, key: bytes, *former: bytes, file: KeyFile | None = None) -> None:
        """`former`: older keys, for decryption only. `file`: the key file to reload them from."""
        self._file = file
        self._file_state: tuple[int, ...] = ()
        self._ciphers: dict[bytes, AESGCM] = {}
        self._use([key, *former])

    @property
    def key_name(self) -> bytes:
        """The name of the current key, which encrypts."""
        return self._names[0]

    @property
    def key_names(self) -> list[bytes]:
        """The names of all keys, the current one first."""
        return list(self._names)

    def seal(self, secret: bytes, context: str) -> bytes:
        return self.seal_all([secret], context)[0]

    def seal_all(self, secrets: Sequence[bytes], context: str) -> list[bytes]:
        """Encrypt each separately, after checking the key file once."""
        self.reload_if_changed()
        name, bound = self.key_name, context.encode()
        encrypt = self._ciphers[name].encrypt
        nonces = os.urandom(NONCE_BYTES * len(secrets))
        offsets = range(0, len(nonces), NONCE_BYTES)
        return [
            name + (nonce := nonces[offset : offset + NONCE_BYTES]) + encrypt(nonce, secret, bound)
            for offset, secret in zip(offsets, secrets, strict=True)
        ]

    def unseal(self, sealed: bytes, context: str) -> bytes:
        name, nonce = sealed[:NAME_BYTES], sealed[NAME_BYTES : NAME_BYTES + NONCE_BYTES]
        if name not in self._ciphers:
            self.reload_if_changed()
        if name not in self._ciphers:
            raise MasterKeyError("A secret in the database was encrypted with a master key that is not in use here.")
        try:
            return self._ciphers[name].decrypt(nonce, sealed[NAME_BYTES + NONCE_BYTES :], context.encode())
        except (InvalidTag, ValueError):
            raise SecretChangedError("A secret in the database was changed or moved; it cannot be decrypted.") from None

    def derive(self, label: str) -> str:
        """A secret derived for `label`, the same every time until the key is rotated."""
        return self.derivations(label)[0]

    def derivations(self, label: str) -> list[str]:
        """The derived secret of every key, the current one first: for checking values from before a rotation."""
        self.reload_if_changed()
        message = f"sitewright derived {label}".encode()
        digests = [hmac.digest(key, message, "sha256") for key in self._keys]
        return [base64.urlsafe_b64encode(digest).decode().rstrip("=") for digest in digests]

    def reload_if_changed(self) -> None:
        """Reload the key file if it changed. If it cannot be read, the known keys stay in use."""
        if self._file is None or self._file_state == (state := self._file.state) or not state:
            return
        self._file_state = state
        try:
            self._use(self._file.read())
        except (MasterKeyError, OSError) as error:
            _log.error("the master keys cannot be reloaded: %s", error)

    def _use(self, keys: list[bytes]) -> None:
        """Keys removed from the file still decrypt for the lifetime of the process."""
        names = [name_of(key) for key in keys]
        self._ciphers = {name: AESGCM(key) for name, key in zip(names, keys, strict=True)} | self._ciphers
        self._keys, self._names = keys, names


def load_sealer(configured: str, data_path: Path) -> Sealer:
    """The keys from the settings, else from `<data dir>/master.key`, which is created if it does not exist."""
    if configured.strip():
        return Sealer(*(decode_key(each, "The setting master_key") for each in configured.split()))
    file = key_file(data_path)
    file.make()
    return Sealer(*file.read(), file=file)


def key_file(data_path: Path) -> KeyFile:
    return KeyFile(data_path / NAME)
