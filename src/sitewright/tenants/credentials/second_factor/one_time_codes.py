"""One-time codes by time (RFC 6238): HMAC-SHA-1, 30 seconds, 6 digits, as every authenticator app makes them."""

import base64
import hmac
import os
import struct
from urllib.parse import quote

SECRET_BYTES = 20
STEP_SECONDS = 30
DIGITS = 6
TOLERANCE = 1
"""Steps before and after the present one: clocks differ, and people type slowly."""


def new_secret() -> bytes:
    return os.urandom(SECRET_BYTES)


def code_at(secret: bytes, step: int) -> str:
    digest = hmac.digest(secret, struct.pack(">Q", step), "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def matching_step(secret: bytes, code: str, timestamp: float) -> int | None:
    """The time step that a code is of; None if it is wrong. Compares in constant time."""
    present, found = int(timestamp) // STEP_SECONDS, None
    for step in range(present - TOLERANCE, present + TOLERANCE + 1):
        if hmac.compare_digest(code_at(secret, step).encode(), code.encode(errors="replace")):
            found = step
    return found


def in_base32(secret: bytes) -> str:
    """For people who type the secret into the app."""
    return base64.b32encode(secret).decode().rstrip("=")


def setup_uri(secret: bytes, issuer: str, account: str) -> str:
    """What the QR code contains."""
    label = quote(f"{issuer}:{account}", safe="")
    return f"otpauth://totp/{label}?secret={in_base32(secret)}&issuer={quote(issuer, safe='')}"
