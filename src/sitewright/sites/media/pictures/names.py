"""Names of variants: the same for the same picture and settings, and different where the bytes differ."""

import hashlib

from sitewright.sites.media.pictures.formats import Format

ENCODING = b"1"
"""Change it with the settings of the encoders: names are cached forever."""


def content_hash(data: bytes, *, compress: bool) -> str:
    """32 hexadecimal digits, of the original's bytes and of how its variants are encoded."""
    digest = hashlib.sha256(ENCODING + (b"c" if compress else b"o"))
    digest.update(data)
    return digest.hexdigest()[:32]


def variant_name(digest: str, width: int, variant_format: Format) -> str:
    return f"{digest}-{width}.{variant_format}"
