from typing import Annotated

import msgspec

from sitewright.kit.http.about import about

MOST_NAMES = 100
LONGEST_LIST = 1000
"""Longer lists are not looked at; shorter ones are told in words of their own what is too much."""
Texts = Annotated[list[str], msgspec.Meta(max_length=LONGEST_LIST)]
HASH = r"^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$"
"""No client ever asks for `.` or `..`: they go before a request is made."""
_KEY = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG...\n-----END PRIVATE KEY-----\n"
_CERT = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmg...\n-----END CERTIFICATE-----\n"


class NewCertificate(msgspec.Struct, frozen=True, kw_only=True):
    """A certificate with its private key, which nothing ever shows again. All together holds at most 64 KiB."""

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
            "The certificate as PEM. The first must match the key; others that vouch for it may follow in any order.",
            _CERT,
        ),
    ]
    domains: Annotated[
        Texts | None,
        about(
            f"More names to serve it for, {MOST_NAMES} at most, each mapped to a site of your brand, or `*.parent`.",
            ["www.example.com"],
        ),
    ] = None
    intermediates: Annotated[
        Texts | None,
        about(
            "Certificates that vouch for it, as PEM. When there are any, those inside `cert` are ignored.",
            [_CERT],
        ),
    ] = None

    def __repr__(self) -> str:
        """Without the key, wherever this is written."""
        return "NewCertificate(...)"


class NewValidation(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a certificate authority looks for on the domain."""

    hash: Annotated[
        str,
        about("The file's name.", "0A1B2C3D.txt", min_length=1, max_length=128, pattern=HASH),
    ]
    content: Annotated[
        str, about("What the file holds, at most 64 KiB.", "comodoca.com", min_length=1, max_length=65_536)
    ]
