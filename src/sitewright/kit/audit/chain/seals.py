"""Seals: the heads of all chains, signed. Kept elsewhere, a seal shows whether the log was rewritten since."""

import base64
from collections.abc import Sequence
from datetime import datetime

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sitewright.kit.audit.chain.store import ENVIRONMENT, Head
from sitewright.kit.sealing import Sealer

LABEL = "audit seal"


class InvalidSeal(Exception):
    """For people: why the text is not a seal of this service."""


class SealedHead(msgspec.Struct, frozen=True, rename="camel"):
    brand_ref: int | None
    sequence: int
    hash: str


class Seal(msgspec.Struct, frozen=True, rename="camel"):
    sealed_at: datetime
    heads: list[SealedHead]
    public_key: str
    signature: str = ""


def make_seal(sealer: Sealer, heads: Sequence[Head], at: datetime) -> bytes:
    """Signed with Ed25519; the key is derived from the master key."""
    key = _key(sealer.derive(LABEL))
    sealed = [SealedHead(each.brand_ref or None, each.sequence, each.hash.hex()) for each in heads]
    seal = Seal(at, sealed, _text(key.public_key().public_bytes_raw()))
    signature = key.sign(msgspec.json.encode(seal))
    return msgspec.json.encode(msgspec.structs.replace(seal, signature=_text(signature)))


def read_seal(sealer: Sealer, text: bytes) -> dict[int, dict[int, bytes]]:
    """The hashes by brand and sequence. Accepts seals from before a rotation of the master key, while that is kept."""
    try:
        seal = msgspec.json.decode(text, type=Seal)
        signature = base64.urlsafe_b64decode(seal.signature)
        hashes = {each.brand_ref or ENVIRONMENT: {each.sequence: bytes.fromhex(each.hash)} for each in seal.heads}
    except ValueError:
        raise InvalidSeal("It is not a seal: use the output of `sitewright audit seal`, unchanged.") from None
    signed = msgspec.json.encode(msgspec.structs.replace(seal, signature=""))
    keys = {_text(key.public_key().public_bytes_raw()): key for key in map(_key, sealer.derivations(LABEL))}
    if seal.public_key not in keys:
        raise InvalidSeal("It was not signed with a key of this service.")
    try:
        keys[seal.public_key].public_key().verify(signature, signed)
    except InvalidSignature:
        raise InvalidSeal("Its signature is not valid: it was changed.") from None
    return hashes


def _key(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(secret + "="))


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode()
