"""Validation of page paths."""

import re

MAX_LENGTH = 255
HOME = "home"
"""The path of the home page, which is also the site's root."""
RESERVED_FOLDERS = frozenset({".well-known", "_site"})
RESERVED = frozenset({"robots.txt", "sitemap.xml"})
_SEGMENT = re.compile(r"[A-Za-z0-9._~-]+")


def read_page_url(text: str) -> str:
    """Return the path without its leading slash. Raises ValueError with a message for users."""
    path = text.removeprefix("/")
    segments = path.split("/")
    if not path or len(path) > MAX_LENGTH:
        raise ValueError(f"must hold 1 to {MAX_LENGTH} characters")
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        raise ValueError("must be segments of letters a to z, digits and -_.~ with single slashes between them")
    if {".", ".."} & set(segments):
        raise ValueError("must not hold . or .. as a segment")
    if segments[0].lower() in RESERVED_FOLDERS or path.lower() in RESERVED:
        raise ValueError("is reserved: " + ", ".join(sorted(RESERVED_FOLDERS | RESERVED)))
    return path
