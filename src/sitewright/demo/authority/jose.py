"""JSON Web Signatures and keys (RFC 7515, 7517, 7638), as far as ACME needs them."""

import base64
import binascii
from typing import Any

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from sitewright.demo.authority.problems import AcmeProblem, malformed

PublicKey = ec.EllipticCurvePublicKey | rsa.RSAPublicKey
CURVES: dict[str, tuple[ec.EllipticCurve, str, hashes.HashAlgorithm]] = {
    "P-256": (ec.SECP256R1(), "ES256", hashes.SHA256()),
    "P-384": (ec.SECP384R1(), "ES384", hashes.SHA384()),
}
THUMBPRINT_FIELDS = {"EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n")}


class Flattened(msgspec.Struct):
    """The only serialization that ACME allows."""

    protected: str
    payload: str
    signature: str


def decode(text: str) -> bytes:
    """base64url without padding."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise malformed("a value is not base64url") from None


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def thumbprint(jwk: dict[str, Any]) -> str:
    fields = THUMBPRINT_FIELDS[jwk["kty"]]
    digest = hashes.Hash(hashes.SHA256())
    digest.update(msgspec.json.encode({name: jwk[name] for name in fields}))
    return encode(digest.finalize())


def key_of(jwk: dict[str, Any]) -> PublicKey:
    try:
        if jwk["kty"] == "EC":
            curve, _, _ = CURVES[jwk["crv"]]
            return ec.EllipticCurvePublicNumbers(_number(jwk["x"]), _number(jwk["y"]), curve).public_key()
        if jwk["kty"] == "RSA":
            return rsa.RSAPublicNumbers(_number(jwk["e"]), _number(jwk["n"])).public_key()
    except (KeyError, TypeError, ValueError):
        pass
    raise AcmeProblem("badPublicKey", "the key is neither EC P-256, EC P-384 nor RSA")


def _number(text: str) -> int:
    return int.from_bytes(decode(text), "big")


def verify(jws: Flattened, algorithm: object, key: PublicKey) -> None:
    """Raises `AcmeProblem` unless the signature is the key's."""
    signed = f"{jws.protected}.{jws.payload}".encode()
    signature = decode(jws.signature)
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            _verify_ec(signature, signed, algorithm, key)
        elif algorithm == "RS256":
            key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
        else:
            raise AcmeProblem("badSignatureAlgorithm", "RSA keys sign with RS256")
    except InvalidSignature:
        raise malformed("the signature does not match the key") from None


def _verify_ec(signature: bytes, signed: bytes, algorithm: object, key: ec.EllipticCurvePublicKey) -> None:
    [(name, digest)] = [(name, digest) for curve, name, digest in CURVES.values() if curve.name == key.curve.name]
    if algorithm != name:
        raise AcmeProblem("badSignatureAlgorithm", f"keys of this curve sign with {name}")
    half = (key.key_size + 7) // 8
    if len(signature) != 2 * half:
        raise InvalidSignature
    r, s = int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big")
    key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(digest))


def verify_shared(jws: Flattened, key: bytes) -> None:
    """HS256, of external account bindings."""
    code = hmac.HMAC(key, hashes.SHA256())
    code.update(f"{jws.protected}.{jws.payload}".encode())
    try:
        code.verify(decode(jws.signature))
    except InvalidSignature:
        raise AcmeProblem("unauthorized", "the external account binding has another key", 403) from None
