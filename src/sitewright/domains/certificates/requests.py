from typing import Annotated

import msgspec

from sitewright.kit.http.about import about

MAX_NAMES = 100
MAX_LIST = 1000
"""Longer lists are rejected unread; shorter ones that are still too long get a more specific message."""
Texts = Annotated[list[str], msgspec.Meta(max_length=MAX_LIST)]
HASH = r"^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$"
"""`.` and `..` can never be requested: clients remove them from the path."""
_KEY = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG...\n-----END PRIVATE KEY-----\n"
_CERT = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmg...\n-----END CERTIFICATE-----\n"


class NewCertificate(msgspec.Struct, frozen=True, kw_only=True):
    """A certificate with its private key, which is never returned. All together holds at most 64 KiB."""

    key: Annotated[
        str,
        about(
            "The private key as PEM, not encrypted: BEGIN PRIVATE KEY or BEGIN RSA PRIVATE KEY. RSA from 2048 bits,"
            " EC P-256 or P-384, Ed25519. Newlines may also be written as backslash and n.",
            _KEY,
        ),
    ]
    cert: Annotated[
        str,
        about(
            "The certificate as PEM. The first must match the key; its intermediates may follow in any order.",
            _CERT,
        ),
    ]
    domains: Annotated[
        Texts | None,
        about(
            f"More names to serve it for, {MAX_NAMES} at most, each mapped to a site of your brand, or `*.parent`.",
            ["www.example.com"],
        ),
    ] = None
    intermediates: Annotated[
        Texts | None,
        about(
            "Its intermediates, as PEM. When there are any, those inside `cert` are ignored.",
            [_CERT],
        ),
    ] = None

    def __repr__(self) -> str:
        """Without the key, so that logs never contain it."""
        return "NewCertificate(...)"


class NewValidation(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a certificate authority requests from the domain."""

    hash: Annotated[
        str,
        about("The file's name.", "0A1B2C3D.txt", min_length=1, max_length=128, pattern=HASH),
    ]
    content: Annotated[
        str, about("What the file holds, at most 64 KiB.", "comodoca.com", min_length=1, max_length=65_536)
    ]
