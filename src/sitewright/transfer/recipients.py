"""Encryption of an archive's secrets to a recipient: X25519, HKDF-SHA256 and AES-256-GCM.

The exporter makes a key pair for one archive (ephemeral key) and agrees with the recipient's public key on a secret.
Each value has its own nonce and is bound to its table, column and row, so that values cannot be exchanged.
"""

import base64
import binascii
import os
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sitewright.transfer.errors import ArchiveDamaged, TransferError

PUBLIC, PRIVATE = "sitewright-public-", "sitewright-private-"
KEY_BYTES = 32
NONCE_BYTES = 12
LONGEST_KEY_FILE = 1000


class Envelope(msgspec.Struct, frozen=True):
    """The part of a manifest that names the recipient."""

    recipient: str
    ephemeral: str


class SecretBox:
    """Encrypts and decrypts the secrets of one archive."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def encrypt(self, secret: bytes, context: str) -> str:
        nonce = os.urandom(NONCE_BYTES)
        return base64.b64encode(nonce + self._cipher.encrypt(nonce, secret, context.encode())).decode()

    def decrypt(self, text: str, context: str) -> bytes:
        try:
            value = base64.b64decode(text, validate=True)
            return self._cipher.decrypt(value[:NONCE_BYTES], value[NONCE_BYTES:], context.encode())
        except (InvalidTag, ValueError):
            raise ArchiveDamaged("A secret in the archive was changed or moved; it cannot be decrypted.") from None


def make_key_pair(file: Path) -> str:
    """Write a new private key to a file that only its owner can read, and return the public key."""
    key = X25519PrivateKey.generate()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as opened:
        opened.write(_text(PRIVATE, key.private_bytes_raw()) + "\n")
    return public_text(key.public_key())


def public_text(key: X25519PublicKey) -> str:
    return _text(PUBLIC, key.public_bytes_raw())


def read_private_key(file: Path) -> X25519PrivateKey:
    with file.open() as opened:
        text = opened.read(LONGEST_KEY_FILE).strip()
    return X25519PrivateKey.from_private_bytes(_bytes(PRIVATE, text, f"{file} does not contain a private key"))


def box_for(recipient: str) -> tuple[SecretBox, Envelope]:
    """A box that only the owner of the recipient's private key can open."""
    problem = "This is not a public key. The recipient makes one with: sitewright brands key FILE. It is"
    public = X25519PublicKey.from_public_bytes(_bytes(PUBLIC, recipient, f"{problem} {PUBLIC}"))
    ephemeral = X25519PrivateKey.generate()
    box = SecretBox(_derive(ephemeral, public, ephemeral.public_key(), public))
    return box, Envelope(recipient, public_text(ephemeral.public_key()))


def open_box(envelope: Envelope, key: X25519PrivateKey) -> SecretBox:
    if public_text(key.public_key()) != envelope.recipient:
        raise TransferError(
            f"The secrets in this archive are encrypted for {envelope.recipient}; this private key belongs to"
            f" {public_text(key.public_key())}. Use the other private key, or have the brand exported again."
        )
    damaged = "The manifest names no valid key"
    ephemeral = X25519PublicKey.from_public_bytes(_bytes(PUBLIC, envelope.ephemeral, damaged))
    return SecretBox(_derive(key, ephemeral, ephemeral, key.public_key()))


def _derive(own: X25519PrivateKey, other: X25519PublicKey, ephemeral: X25519PublicKey, to: X25519PublicKey) -> bytes:
    salt = ephemeral.public_bytes_raw() + to.public_bytes_raw()
    try:
        shared = own.exchange(other)
    except ValueError:  # a point of small order: the secret would be zero for everybody
        raise TransferError("This public key is not valid.") from None
    return HKDF(SHA256(), KEY_BYTES, salt, b"sitewright brand archive 1").derive(shared)


def _text(prefix: str, raw: bytes) -> str:
    return prefix + base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bytes(prefix: str, text: str, problem: str) -> bytes:
    try:
        raw = base64.urlsafe_b64decode(text.removeprefix(prefix) + "=") if text.startswith(prefix) else b""
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != KEY_BYTES:
        raise TransferError(f"{problem}… and {KEY_BYTES} bytes in base64.")
    return raw
