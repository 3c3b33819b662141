"""Signatures of requests (RFC 7515): ES256 with the account's key, HS256 for external account binding."""

import base64
import hashlib
import hmac
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

COORDINATE_BYTES = 32
_ALGORITHM = ec.ECDSA(SHA256())


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


class AccountKey:
    """The P-256 key of an account at a certificate authority."""

    def __init__(self, private: ec.EllipticCurvePrivateKey) -> None:
        self._private = private
        numbers = private.public_key().public_numbers()
        x, y = (base64url(each.to_bytes(COORDINATE_BYTES, "big")) for each in (numbers.x, numbers.y))
        self.jwk = {"crv": "P-256", "kty": "EC", "x": x, "y": y}
        """In the order that RFC 7638 prescribes."""
        self.thumbprint = base64url(hashlib.sha256(msgspec.json.encode(self.jwk)).digest())

    @classmethod
    def generate(cls) -> "AccountKey":
        return cls(ec.generate_private_key(ec.SECP256R1()))

    @classmethod
    def load(cls, pem: bytes) -> "AccountKey":
        private = load_pem_private_key(pem, None)
        if not isinstance(private, ec.EllipticCurvePrivateKey):
            raise TypeError("the key of an ACME account is a P-256 key")
        return cls(private)

    @property
    def pem(self) -> bytes:
        return self._private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def sign(self, header: dict[str, Any], payload: bytes) -> bytes:
        """The request's body: the signed payload as flattened JSON."""
        protected, body = base64url(msgspec.json.encode({"alg": "ES256", **header})), base64url(payload)
        r, s = decode_dss_signature(self._private.sign(f"{protected}.{body}".encode(), _ALGORITHM))
        signature = r.to_bytes(COORDINATE_BYTES, "big") + s.to_bytes(COORDINATE_BYTES, "big")
        return msgspec.json.encode({"protected": protected, "payload": body, "signature": base64url(signature)})

    def authorize(self, token: str) -> str:
        """The response to a challenge: the key authorization."""
        return f"{token}.{self.thumbprint}"

    def dns_value(self, token: str) -> str:
        """The value of the TXT record that responds to a dns-01 challenge."""
        return base64url(hashlib.sha256(self.authorize(token).encode()).digest())


def external_account_binding(kid: str, key: str, account: AccountKey, url: str) -> dict[str, str]:
    """Proves to the authority that the account belongs to a customer of it. `key` is base64url."""
    secret = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    protected = base64url(msgspec.json.encode({"alg": "HS256", "kid": kid, "url": url}))
    payload = base64url(msgspec.json.encode(account.jwk))
    signature = base64url(hmac.digest(secret, f"{protected}.{payload}".encode(), "sha256"))
    return {"protected": protected, "payload": payload, "signature": signature}
