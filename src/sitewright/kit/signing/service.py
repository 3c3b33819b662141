"""Signs texts with the key of a purpose. Keys are created at first use, sealed, and shared by all processes.

A key stays the same when the master key is rotated, so that documents that were handed out can always be verified.
"""

import base64
import hashlib
from typing import Literal

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer
from sitewright.kit.signing import store
from sitewright.kit.signing.store import StoredKey

ID_DIGITS = 16
Purpose = Literal["erasures"]
PURPOSES: tuple[Purpose, ...] = ("erasures",)


class Signed(msgspec.Struct, frozen=True):
    """A text, its signature in base64, and the key that it was made with."""

    text: str
    signature: str
    key_id: str


async def sign(connection: Transaction, sealer: Sealer, purpose: Purpose, text: str) -> Signed:
    key = await _key_of(connection, sealer, purpose)
    private = Ed25519PrivateKey.from_private_bytes(sealer.unseal(key.sealed_key, _context(purpose)))
    return Signed(text, base64.b64encode(private.sign(text.encode())).decode(), key_id(key.public_key))


async def public_key(connection: Transaction, sealer: Sealer, purpose: Purpose) -> str:
    """In PEM."""
    return (await _key_of(connection, sealer, purpose)).public_key


def key_id(public_key: str) -> str:
    """The beginning of the SHA-256 of the public key in PEM."""
    return hashlib.sha256(public_key.encode()).hexdigest()[:ID_DIGITS]


async def _key_of(connection: Transaction, sealer: Sealer, purpose: Purpose) -> StoredKey:
    found = await store.find(connection, purpose)
    if found is None:
        await _create(connection, sealer, purpose)
        found = await store.find(connection, purpose)
    if found is None:
        raise RuntimeError("the signing key was deleted")
    return found


async def _create(connection: Transaction, sealer: Sealer, purpose: Purpose) -> None:
    private = Ed25519PrivateKey.generate()
    secret = private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    await store.insert(connection, purpose, public, sealer.seal(secret, _context(purpose)), clock.now())


def _context(purpose: Purpose) -> str:
    return f"signing key/{purpose}"
