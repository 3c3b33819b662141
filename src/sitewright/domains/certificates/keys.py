"""Parses private keys, and rejects those that cannot be served."""

from typing import TypeAlias

from cryptography.exceptions import InternalError, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_der_private_key

from sitewright.domains.certificates.pem import Block, read_blocks
from sitewright.domains.certificates.reasons import InvalidValue

PrivateKey: TypeAlias = RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey
MIN_RSA_BITS, MAX_RSA_BITS = 2048, 4096
"""Bits. A signature with 8192 takes 36 ms, which blocks the event loop of the edge process."""
MAX_EXPONENT_BITS = 64
"""Of the public exponent, which is usually 65537. With 4096 bits a signature takes 47 ms."""
CURVES = {"secp256r1": "P-256", "secp384r1": "P-384"}
ACCEPTED = "Use RSA with 2048 to 4096 bits, EC with P-256 or P-384, or Ed25519"
_HEADER = "must hold one private key that begins with -----BEGIN PRIVATE KEY-----"
_COMMAND = "openssl pkcs8 -topk8 -nodes -in key.pem"
_CONVERT = f"Convert it: {_COMMAND}"


def read_key(text: str, *, rsa_header: bool) -> PrivateKey:
    """`rsa_header`: BEGIN RSA PRIVATE KEY is accepted too."""
    block = _only_key(read_blocks(text), rsa_header=rsa_header)
    # Loaded unchecked first: verifying the numbers takes long for large keys, so the size is checked before.
    key = _load(block.content, unchecked=True)
    if not isinstance(key, RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey):
        kind = type(key).__name__.removesuffix("PrivateKey").removeprefix("_")
        raise InvalidValue(f"is a {kind} key, which is not served. {ACCEPTED}", "keyNotServed", kind=kind)
    if isinstance(key, RSAPrivateKey):
        _check_size(key)
        _load(block.content, unchecked=False)
    if isinstance(key, EllipticCurvePrivateKey) and key.curve.name not in CURVES:
        raise InvalidValue(
            f"is an EC key on the curve {key.curve.name}, which is not served. {ACCEPTED}",
            "keyNotServed",
            kind=f"EC {key.curve.name}",
        )
    return key


def type_of(key: PrivateKey) -> str:
    """As operators call it: RSA 2048, EC P-256, Ed25519."""
    if isinstance(key, RSAPrivateKey):
        return f"RSA {key.key_size}"
    return f"EC {CURVES[key.curve.name]}" if isinstance(key, EllipticCurvePrivateKey) else "Ed25519"


def is_too_large(key_type: str) -> bool:
    """Whether a stored key of this type (see `type_of`) would be rejected at upload today."""
    kind, _, bits = key_type.partition(" ")
    return kind == "RSA" and bits.isdecimal() and int(bits) > MAX_RSA_BITS


def pem_of(key: PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _only_key(blocks: list[Block], *, rsa_header: bool) -> Block:
    keys = [block for block in blocks if block.label.endswith("PRIVATE KEY")]
    if any(block.is_encrypted for block in keys):
        raise _encrypted()
    if not keys and any(block.label == "CERTIFICATE" for block in blocks):
        raise InvalidValue(f"holds a certificate. It {_HEADER}; the certificate goes into cert", "keyIsCertificate")
    if len(keys) != 1:
        raise InvalidValue(f"{_HEADER}; this holds {len(keys) or 'none'}", "oneKey", number=len(keys))
    [key] = keys
    if key.label == "PRIVATE KEY" or (key.label == "RSA PRIVATE KEY" and rsa_header):
        return key
    also = " or -----BEGIN RSA PRIVATE KEY-----" if rsa_header else ""
    raise InvalidValue(
        f"{_HEADER}{also}; this begins with -----BEGIN {key.label}-----. {_CONVERT}",
        "keyLabel",
        label=key.label,
        command=_COMMAND,
    )


def _encrypted() -> InvalidValue:
    return InvalidValue(f"is encrypted. Send it without a password. {_CONVERT}", "encryptedKey", command=_COMMAND)


def _load(content: bytes, *, unchecked: bool) -> object:
    try:
        return load_der_private_key(content, None, unsafe_skip_rsa_key_validation=unchecked)
    except TypeError:
        raise _encrypted() from None
    except UnsupportedAlgorithm:
        raise InvalidValue(f"is of a kind that is not served. {ACCEPTED}", "keyOfUnknownKind") from None
    except (ValueError, InternalError):  # InternalError: an Ed25519 key that is too short or too long
        raise InvalidValue(
            "is damaged: it is not a private key. Send the PEM file of the key, whole", "damagedKey"
        ) from None


def _check_size(key: RSAPrivateKey) -> None:
    if not MIN_RSA_BITS <= key.key_size <= MAX_RSA_BITS:
        raise InvalidValue(
            f"is an RSA key with {key.key_size} bits, which is not served. {ACCEPTED}",
            "keyNotServed",
            kind=f"RSA {key.key_size}",
        )
    if key.public_key().public_numbers().e.bit_length() > MAX_EXPONENT_BITS:
        raise InvalidValue(
            "is an RSA key with a public exponent of more than 64 bits, which is not served. Make one with 65537",
            "keyExponent",
        )
