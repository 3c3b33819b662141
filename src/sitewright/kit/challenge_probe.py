"""The probe with which a health check recognizes this service's edge servers from outside.

An edge server answers a path below that of ACME challenges with a keyed hash of the host and the nonce, without the
database: every node with the master key gives the same response, and nobody else can.
"""

import base64
import hmac
import re
import secrets

from sitewright.kit.sealing import Sealer

CHALLENGES = "/.well-known/acme-challenge/"
PATH = f"{CHALLENGES}sitewright-"
_LABEL = "challenge probe"
_NONCE = re.compile(r"[A-Za-z0-9_-]{22,64}")


def new_nonce() -> str:
    return secrets.token_urlsafe(18)


def is_nonce(text: str) -> bool:
    return _NONCE.fullmatch(text) is not None


def answer_to(sealer: Sealer, host: str, nonce: str) -> str:
    return _answer(sealer.derive(_LABEL), host, nonce)


def is_answer(sealer: Sealer, host: str, nonce: str, text: str) -> bool:
    """Whether an edge server with this or a former master key sent the text."""
    given = text.strip().encode()
    expected = [_answer(key, host, nonce).encode() for key in sealer.derivations(_LABEL)]
    return any(hmac.compare_digest(each, given) for each in expected)


def _answer(key: str, host: str, nonce: str) -> str:
    digest = hmac.digest(key.encode(), f"{host}\n{nonce}".encode(), "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
