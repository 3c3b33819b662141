"""Secrets at rest: AES-256-GCM under a named master key that lives outside the database.

A sealed value begins with the name of its key, so that keys can be rotated; what it belongs to (its context) is
bound as associated data, so that a sealed value copied to another row does not open.

There may be several keys: the first seals, and all of them open. A process that runs learns of a new one by itself: the
file is looked at before anything is sealed, and whenever a value names a key that is not known.
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

__all__ = ["KEY_BYTES", "NAME_BYTES", "MasterKeyError", "Sealer", "load_sealer", "name_of"]

NAME_BYTES = 8
NONCE_BYTES = 12
_log = logging.getLogger("sitewright.sealing")


def name_of(key: bytes) -> bytes:
    return hashlib.sha256(b"sitewright key name" + check_length(key)).digest()[:NAME_BYTES]


class Sealer:
    def __init__(self, key: bytes, *former: bytes, file: KeyFile | None = None) -> None:
        """`former`: keys that still open what they sealed. `file`: where they come from, and others later."""
        self._file = file
        self._state: tuple[int, ...] = ()  # of before it was read: it may have changed since
        self._ciphers: dict[bytes, AESGCM] = {}
        self._take([key, *former])

    @property
    def key_name(self) -> bytes:
        """Of the key that seals."""
        return self._names[0]

    @property
    def key_names(self) -> list[bytes]:
        """Of all keys, the one that seals first."""
        return list(self._names)

    def seal(self, secret: bytes, context: str) -> bytes:
        return self.seal_all([secret], context)[0]

    def seal_all(self, secrets: Sequence[bytes], context: str) -> list[bytes]:
        """Each by itself, all with one look at the keys."""
        self.look_again()
        name, bound = self.key_name, context.encode()
        encrypt = self._ciphers[name].encrypt
        nonces = os.urandom(NONCE_BYTES * len(secrets))
        places = range(0, len(nonces), NONCE_BYTES)
        return [
            name + (nonce := nonces[place : place + NONCE_BYTES]) + encrypt(nonce, secret, bound)
            for place, secret in zip(places, secrets, strict=True)
        ]

    def unseal(self, sealed: bytes, context: str) -> bytes:
        name, nonce = sealed[:NAME_BYTES], sealed[NAME_BYTES : NAME_BYTES + NONCE_BYTES]
        if name not in self._ciphers:
            self.look_again()
        if name not in self._ciphers:
            raise MasterKeyError("A secret in the database was sealed with another master key than those in use.")
        try:
            return self._ciphers[name].decrypt(nonce, sealed[NAME_BYTES + NONCE_BYTES :], context.encode())
        except (InvalidTag, ValueError):
            raise MasterKeyError("A secret in the database was changed or moved; it does not open.") from None

    def derive(self, label: str) -> str:
        """A secret of its own for `label`, the same every time until the key is rotated."""
        return self.derivations(label)[0]

    def derivations(self, label: str) -> list[str]:
        """What `derive` gives, then what it gave under former keys: for checking what was made before a rotation."""
        self.look_again()
        message = f"sitewright derived {label}".encode()
        digests = [hmac.digest(key, message, "sha256") for key in self._keys]
        return [base64.urlsafe_b64encode(digest).decode().rstrip("=") for digest in digests]

    def look_again(self) -> None:
        """A file that cannot be read now changes nothing: what is known stays in force."""
        if self._file is None or self._state == (state := self._file.state) or not state:
            return
        self._state = state
        try:
            self._take(self._file.read())
        except (MasterKeyError, OSError) as error:
            _log.error("the master keys cannot be read again: %s", error)

    def _take(self, keys: list[bytes]) -> None:
        """Keys that are gone from the file still open what they sealed, for as long as the process lives."""
        names = [name_of(key) for key in keys]
        self._ciphers = {name: AESGCM(key) for name, key in zip(names, keys, strict=True)} | self._ciphers
        self._keys, self._names = keys, names


def load_sealer(configured: str, data_path: Path) -> Sealer:
    """The keys from the settings, else from `<data dir>/master.key`, which is made when it is not there."""
    if configured.strip():
        return Sealer(*(decode_key(each, "The setting master_key") for each in configured.split()))
    file = key_file(data_path)
    file.make()
    return Sealer(*file.read(), file=file)


def key_file(data_path: Path) -> KeyFile:
    return KeyFile(data_path / NAME)
