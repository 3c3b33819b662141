"""OAuth 1.0a (RFC 5849): parses the OAuth parameters of a request and verifies its signature.

A fast path over oauthlib's functions; a hypothesis test compares its verdicts with oauthlib's endpoint.
"""

import base64
import hashlib
import hmac
import re
from binascii import a2b_qp
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote

import msgspec
from oauthlib.common import INVALID_HEX_PATTERN, urlencoded
from oauthlib.oauth1.rfc5849 import signature

ALGORITHMS = {"HMAC-SHA1": "sha1", "HMAC-SHA256": "sha256"}
MAX_LENGTH = 255
MAX_PARAMETERS = 1000
MAX_TIMESTAMP_DIGITS = 12
REQUIRED = (
    "oauth_consumer_key",
    "oauth_token",
    "oauth_signature_method",
    "oauth_timestamp",
    "oauth_nonce",
    "oauth_signature",
)


Pair: TypeAlias = tuple[str, str]
_HEADER_PARAMETER = re.compile(r'\s*+([^\s=",]++)\s*+=\s*+(?:"([^"]*+)"|([^\s",]*+))\s*+(?:,|$)')

_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-"
_SENT = frozenset(urlencoded) | {"[", "]"}
_is_unreserved = re.compile(r"[A-Za-z0-9._~-]*").fullmatch
_PERCENT = ord("%")


class MalformedClaim(Exception):
    """The OAuth parameters cannot be used; the text says why."""


class SignedParts(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a request that a signature covers."""

    method: str
    scheme: str
    host: str
    path: str
    query: str
    authorization: str | None
    form: str | None
    """The body if it is form-encoded; its fields are then signed too."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    consumer_key: str
    access_token: str
    nonce: str
    timestamp: int
    algorithm: str
    signature: str
    body_hash: str | None
    base_string: bytes


def read_claim(parts: SignedParts) -> Claim:
    if len(parts.host) > MAX_LENGTH:
        raise MalformedClaim("The Host header is too long for a host name.")
    try:
        parameters = _collect(parts)
        base_uri = _base_uri(parts.scheme, parts.host, parts.path)
    except ValueError:
        raise MalformedClaim("The OAuth parameters cannot be read.") from None
    oauth = _oauth_parameters(parameters)
    return Claim(
        consumer_key=oauth["oauth_consumer_key"],
        access_token=oauth["oauth_token"],
        nonce=oauth["oauth_nonce"],
        timestamp=int(oauth["oauth_timestamp"]),
        algorithm=ALGORITHMS[oauth["oauth_signature_method"]],
        signature=oauth["oauth_signature"],
        body_hash=oauth.get("oauth_body_hash"),
        base_string=f"{parts.method.upper()}&{base_uri}&{_normalized(parameters)}".encode(),
    )


def signature_matches(claim: Claim, consumer_secret: str, access_secret: str, body: bytes | None) -> bool:
    """`body` is None where it is read, and its hash compared, after authentication."""
    matches = hmac.compare_digest(signature_of(claim, consumer_secret, access_secret), claim.signature.encode())
    if claim.body_hash is not None and body is not None:
        matches &= _hash_matches(claim, body)
    return matches


def signing_key(consumer_secret: str, access_secret: str) -> str:
    """RFC 5849 section 3.4.2."""
    return f"{_encoded(consumer_secret)}&{_encoded(access_secret)}"


def signature_of(claim: Claim, consumer_secret: str, access_secret: str) -> bytes:
    """The signature that the claim should have, in base64."""
    key = signing_key(consumer_secret, access_secret).encode()
    return base64.b64encode(hmac.digest(key, claim.base_string, claim.algorithm))


def hash_algorithms(claim: Claim) -> set[str]:
    """SHA-1 is always accepted: oauthlib's client hashes the body with it, whatever the signature method."""
    return {"sha1", claim.algorithm}


def _hash_matches(claim: Claim, body: bytes) -> bool:
    matches = False
    for algorithm in hash_algorithms(claim):
        digest = base64.b64encode(hashlib.new(algorithm, body).digest())
        matches |= hmac.compare_digest(digest, (claim.body_hash or "").encode())
    return matches


def _collect(parts: SignedParts) -> list[Pair]:
    if parts.query.count("&") + (parts.form or "").count("&") >= MAX_PARAMETERS:
        raise MalformedClaim(f"A signed request may hold at most {MAX_PARAMETERS} parameters.")
    places = [_header_parameters(parts.authorization), _decoded(parts.query), _decoded(parts.form)]
    if sum(any(name.startswith("oauth_") for name, _ in place) for place in places) > 1:
        raise MalformedClaim("Send all OAuth parameters in one place: the header, the query or the form.")
    return [pair for place in places for pair in place]


def _header_parameters(authorization: str | None) -> list[Pair]:
    """RFC 5849 section 3.5.1. `realm` is not signed."""
    if authorization is None:
        return []
    scheme, _, listed = authorization.partition(" ")
    if scheme.lower() != "oauth":
        raise MalformedClaim("The Authorization header is not OAuth.")
    pairs: list[Pair] = []
    position = 0
    while position < len(listed):
        match = _HEADER_PARAMETER.match(listed, position)
        if match is None:
            raise MalformedClaim('The OAuth header is not a list of name="value", separated by commas.')
        name, value = match[1], match[2] or match[3] or ""
        pairs.append((unquote(name) if "%" in name else name, unquote(value) if "%" in value else value))
        position = match.end()
    if len(dict(pairs)) != len(pairs):
        raise MalformedClaim("A parameter appears twice in the Authorization header.")
    return [pair for pair in pairs if pair[0] != "realm"]


def _decoded(encoded: str | None) -> list[Pair]:
    """The same result as oauthlib's `urldecode`, without its cost for each escape; raises ValueError.

    Brackets need not be escaped: clients that send `metadata[crm]=a` sign the same as those that escape them.
    """
    if not encoded:
        return []
    if not _SENT.issuperset(encoded) or INVALID_HEX_PATTERN.search(encoded):
        raise ValueError("not form-encoded")
    fields = (field.partition("=") for field in encoded.split("&") if field)
    return [(_unescaped(name), _unescaped(value)) for name, _, value in fields]


def _unescaped(text: str) -> str:
    """Percent-decode validated text. Quoted-printable differs only in its escape character and is decoded in C."""
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    if "%" in text[-2:]:  # an incomplete escape stands for itself
        return unquote(text)
    return a2b_qp(text.replace("=", "=3D").replace("%", "=")).decode("utf-8", "replace")


@lru_cache(maxsize=256)
def _base_uri(scheme: str, host: str, path: str) -> str:
    """RFC 5849 section 3.4.1.2, encoded for the base string."""
    return _encoded(signature.base_string_uri(f"{scheme}://{host}{path}", host))


def _normalized(parameters: list[Pair]) -> str:
    """RFC 5849 section 3.4.1.3.2, encoded once more for the base string."""
    encoded = [(_encoded(name), _encoded(value)) for name, value in parameters if name != "oauth_signature"]
    encoded.sort()
    return "%26".join([f"{name.replace('%', '%25')}%3D{value.replace('%', '%25')}" for name, value in encoded])


def _encoded(text: str) -> str:
    """RFC 5849 section 3.6. Most text is unreserved already; otherwise each distinct reserved byte is replaced once."""
    if _is_unreserved(text):
        return text
    encoded = text.encode()
    reserved = set(encoded.translate(None, _UNRESERVED))
    for byte in sorted(
        reserved, key=_PERCENT.__ne__
    ):  # the percent sign first: the other replacements add more of them
        encoded = encoded.replace(bytes((byte,)), b"%%%02X" % byte)
    return encoded.decode()


def _oauth_parameters(parameters: list[Pair]) -> dict[str, str]:
    pairs = [pair for pair in parameters if pair[0].startswith("oauth_")]
    oauth = dict(pairs)
    if len(oauth) != len(pairs):
        raise MalformedClaim("An OAuth parameter appears twice in the request.")
    for name in REQUIRED:
        if not 1 <= len(oauth.get(name, "")) <= MAX_LENGTH or not oauth[name].isprintable():
            raise MalformedClaim(f"{name} is missing or is not 1 to {MAX_LENGTH} printable characters.")
    if oauth.get("oauth_version", "1.0") != "1.0":
        raise MalformedClaim("oauth_version must be 1.0 when it is sent.")
    if oauth["oauth_signature_method"] not in ALGORITHMS:
        raise MalformedClaim("oauth_signature_method must be HMAC-SHA1 or HMAC-SHA256.")
    timestamp = oauth["oauth_timestamp"]
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= MAX_TIMESTAMP_DIGITS):
        raise MalformedClaim("oauth_timestamp must be seconds since 1970.")
    return oauth
