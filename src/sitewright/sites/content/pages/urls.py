"""Validation of page paths, and paths made of titles."""

import re
import unicodedata
from collections.abc import Container
from itertools import count

MAX_LENGTH = 255
HOME = "home"
"""The path of the home page, which is also the site's root."""
RESERVED_FOLDERS = frozenset({".well-known", "_site"})
RESERVED = frozenset({"robots.txt", "sitemap.xml"})
MADE_LENGTH = 60
"""Of a path made of a title, without its number."""
_OTHERS = re.compile(r"[^a-z0-9]+")
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


def free_path(title: str, taken: Container[str]) -> str:
    """Make a path of the title's letters and digits that is not taken, as the editor does."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    path = _OTHERS.sub("-", plain).strip("-")[:MADE_LENGTH].rstrip("-") or "page"
    numbered = (path if number == 1 else f"{path}-{number}" for number in count(1))
    return next(each for each in numbered if each not in taken and each != HOME and each not in RESERVED_FOLDERS)
