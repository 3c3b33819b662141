"""DKIM keys, one for each domain with mail: the mail server signs with it, and the zone has the public key."""

import base64

import msgspec
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

BITS = 2048
SELECTOR = "sw1"


class NewKey(msgspec.Struct, frozen=True):
    private_pem: bytes
    public_key: str


def generate() -> NewKey:
    """Takes a tenth of a second or more: run it in a thread."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=BITS)
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return NewKey(private, base64.b64encode(public).decode())


def context(brand_ref: int, account_domain_ref: int) -> str:
    """What a sealed key is bound to."""
    return f"dkim/{brand_ref}/{account_domain_ref}"
