"""Normalization of host names: IDNA 2008, lower case, in ASCII, at least two labels.

The mapping that browsers apply comes first (UTS 46, non-transitional): full stops of other alphabets, upper case, wide
letters. The result must be a host name, not something that a browser could take for an IP address.
"""

import re

import idna

MAX_HOST = 253
MAX_TYPED = 255
_PLAIN = re.compile(
    r"(?=.{1,253}\Z)(?:(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!..--)[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_REFUSED = {
    ":": "must be a host name alone, without protocol, port or IPv6 address",
    "/": "must be a host name alone, without protocol or path",
    "*": "must be one host name; wildcards cannot be mapped",
    "_": "must hold letters, digits and hyphens between dots; underscores are for other records",
    "@": "must be a host name alone, without a user name",
}


def normalize(text: str) -> str:
    """The normalized form of a host name. Raises ValueError with a message for the caller."""
    name = text.lower().removesuffix(".")
    if _PLAIN.fullmatch(name):
        return name
    if not 1 <= len(text) <= MAX_TYPED:
        raise ValueError(f"must hold 1 to {MAX_HOST} characters")
    for character, message in _REFUSED.items():
        if character in text:
            raise ValueError(message)
    name = _in_ascii(text)
    *others, last = name.split(".")
    if _NUMBER.fullmatch(last):
        raise ValueError("must be a host name, not an IP address")
    if not others:
        raise ValueError("must hold at least two labels, like www.example.com")
    return name


def _in_ascii(text: str) -> str:
    try:
        name = idna.encode(text, uts46=True, std3_rules=True, transitional=False).decode("ascii").removesuffix(".")
        is_canonical = idna.encode(idna.decode(name)).decode("ascii") == name
    except (idna.IDNAError, UnicodeError):
        is_canonical = False
    if not is_canonical:
        raise ValueError(
            "must be a host name as IDNA 2008 allows it: 1 to 63 letters, digits and hyphens with dots between,"
            f" {MAX_HOST} in all"
        )
    return name


def is_below(name: str, domain: str | None) -> bool:
    """Whether a normalized name is the domain itself or below it."""
    parent = (domain or "").lower()
    return bool(parent) and (name == parent or name.endswith(f".{parent}"))


def decode_domain(domain: str) -> str:
    """Decode an internationalized domain name for display; one that cannot be decoded is returned unchanged."""
    try:
        return idna.decode(domain)
    except idna.IDNAError:
        return domain


def normalize_part(part: str) -> str:
    """Normalize a part of a host name as names are stored: lower case, internationalized labels in ASCII.

    A text that cannot be part of a name is returned unchanged, and matches nothing.
    """
    part = part.lower()
    if part.isascii():
        return part
    try:
        return ".".join(label and idna.encode(label, uts46=True).decode("ascii") for label in part.split("."))
    except (idna.IDNAError, UnicodeError):
        return part
