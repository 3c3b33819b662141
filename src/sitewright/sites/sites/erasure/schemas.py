from typing import Annotated, Literal

import msgspec

from sitewright.kit.http.about import about

AT = "2026-01-31T12:00:00Z"
KEY_PATH = "/signing-keys/erasures"
COUNTS = {
    "domains": 2,
    "pages": 7,
    "widgets": 41,
    "media": 12,
    "mediaBytes": 3145728,
    "versions": 9,
    "messages": 3,
}


class ErasureCounts(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What is erased, in numbers."""

    domains: Annotated[int, about("Mapped host names, and those that the site had when it was deleted.", 2)] = 0
    pages: Annotated[int, about("Pages.", 7)] = 0
    widgets: Annotated[int, about("Widgets on them.", 41)] = 0
    media: Annotated[int, about("Pictures.", 12)] = 0
    media_bytes: Annotated[int, about("The bytes of their originals.", 3145728)] = 0
    versions: Annotated[int, about("Published versions.", 9)] = 0
    messages: Annotated[int, about("Messages of visitors.", 3)] = 0


class Receipt(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What happens to a site that was hard-deleted, or has happened. It contains no names."""

    brand_ref: Annotated[int, about("The brand.", 1)]
    site_ref: Annotated[int, about("The site.", 5)]
    status: Annotated[
        Literal["waiting", "erased"], about("`waiting`: the site is offline, and `undelete` restores it.", "erased")
    ]
    requested_at: Annotated[str, about("When `hard-delete` was called; ISO 8601, UTC.", AT)]
    erase_after: Annotated[str, about("When the site is erased, at the earliest.", AT)]
    erased_at: Annotated[str | None, about("When it was erased; null before.", AT)]
    counts: Annotated[ErasureCounts, about("What there is to erase, or what was erased.", COUNTS)]


class Signature(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The signature of the receipt."""

    algorithm: Annotated[Literal["Ed25519"], about("Always Ed25519 (RFC 8032).", "Ed25519")] = "Ed25519"
    key_id: Annotated[str, about("Begins the SHA-256 of the public key's PEM file.", "0f1e2d3c4b5a6978")]
    key_url: Annotated[str, about("Where anybody can fetch the public key, on this host.", KEY_PATH)] = KEY_PATH
    signed: Annotated[str, about("The receipt as it was signed: the exact text, in UTF-8.", '{"brandRef":1}')]
    value: Annotated[str, about("The signature of that text, in base64.", "q83vEjRWeJA=")]


class SignedReceipt(msgspec.Struct, frozen=True):
    """The receipt of an erasure."""

    erasure: Annotated[
        Receipt,
        about(
            "The receipt.",
            {"brandRef": 1, "siteRef": 5, "status": "erased", "requestedAt": AT, "eraseAfter": AT, "erasedAt": AT,
             "counts": COUNTS},
        ),
    ]  # fmt: skip
    signature: Annotated[Signature, about("Its signature.", {"keyId": "0f1e2d3c4b5a6978"})]
